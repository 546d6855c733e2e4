import DoorwardRuntime
import Testing
import XMPPCore

@testable import DoorwardConsole

/// `invite --server`, from what came of it to the words.
@Suite("Invitations of the server, in words")
struct ServerInvitationWordsTests {
    private func words(_ data: [(String, JSONValue)]) throws -> String {
        guard
            case .run(let invocation) = try CommandLineParser.parse(["invite", "a@example.org", "--server", "--no-qr"])
        else { throw UsageError("not parsed") }
        let usual: [(String, JSONValue)] = [
            ("id", .integer(1)), ("account", .string("a@example.org")), ("uses", .integer(1)),
            ("expires_at", .string("2026-12-08T12:00:00.000Z")),
            ("uri", .string("xmpp:a@example.org?roster;preauth=T")),
        ]
        let row = JSONValue.object((usual + data).map { JSONMember($0.0, $0.1) })
        let output = Output(width: 100, colours: false) { _, _ in }
        return InviteCommandWords.words(row, invocation, output: output, now: Samples.now)
            .map { $0.rendered(colours: false) }.joined(separator: "\n")
    }

    @Test("the flag goes to the service, and without it nothing is said of the server")
    func flag() throws {
        guard case .run(let invocation) = try CommandLineParser.parse(["invite", "a@example.org", "--server"]) else {
            return
        }
        #expect(
            try InviteCommandWords.arguments(of: invocation).contains { $0.key == "server" && $0.value == .bool(true) })
        #expect(try !words([("server", .null)]).contains("server"))
    }

    @Test("the page stands below the link, and who may register is told")
    func registers() throws {
        let text = try words([
            ("server", .string("done")), ("registers", .bool(true)), ("landing_url", .string("https://example.org/i")),
        ])
        #expect(text.contains("  https://example.org/i") && text.contains("can make one on the server"))
        #expect(try words([("server", .string("done")), ("registers", .bool(false))]).contains("allow_user_invites"))
    }

    @Test(
        "each way to have no invitation of the server is said with what to do",
        arguments: [
            ("not_offered", "mod_invites_adhoc"), ("offline", "doorward status"), ("no_reply", "ask again"),
            ("refused", "forbidden (auth)"),
        ])
    func none(word: String, part: String) throws {
        let text = try words([("server", .string(word)), ("server_error", .string("forbidden (auth)"))])
        #expect(text.contains(part), "\(text)")
        #expect(text.contains("xmpp:a@example.org?roster;preauth=T"))
    }
}
