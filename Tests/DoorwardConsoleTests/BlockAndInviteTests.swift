import DoorwardConfig
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore
import XMPPModules

@testable import DoorwardConsole

/// `block` and `invite`, from the command to the words.
@Suite("Blocks and invitations")
struct BlockAndInviteTests {
    private let account = "support@doorward.test"

    private func ask(
        _ service: FakeService, _ command: String, _ members: [(String, JSONValue)]
    ) async -> DoorwardConsole.CommandResult {
        let all = [("account", JSONValue.string(account))] + members
        let arguments = JSONValue.object(all.map { JSONMember($0.0, $0.1) })
        return await CommandModel(service: service) { Samples.now }
            .perform(command, arguments: arguments, by: Caller(name: "ana", role: .admin))
    }

    private func service() async throws -> FakeService {
        let service = FakeService(requests: [Samples.request()])
        await service.set(blocked: BlockList([try JID("old.example")]))
        return service
    }

    @Test("block add: what is blocked, reported and covered; the account and its server are refused")
    func block() async throws {
        let service = try await service()
        let contact = Samples.request().contact
        let items = JSONValue.strings([contact.description, "bad.example/gate", contact.description])
        let done = await ask(
            service, "block add", [("items", items), ("report", .string("spam")), ("text", .string("x"))])
        #expect(done.status == .done)
        #expect(done.data["blocked"] == .strings([contact.description, "bad.example/gate"]))
        #expect(done.data["covered"] == .array([.integer(Samples.request().id)]))
        #expect(done.data["report"] == .string("spam"))
        for own in [account, "doorward.test", account + "/x"] {
            let result = await ask(service, "block add", [("items", .strings(["a.example", own]))])
            #expect(result.status == .refused)
            #expect(result.error?.contains("cannot be blocked") == true)
        }
        let text = await ask(service, "block add", [("items", .strings(["a.example"])), ("text", .string("x"))])
        #expect(text.status == .usage)
        let reason = await ask(service, "block add", [("items", .strings(["a.example"])), ("report", .string("rude"))])
        #expect(reason.error?.contains("'report' is one of spam, abuse") == true)
        #expect(await service.orders == ["block [\"\(contact)\", \"bad.example/gate\"] spam ana"])
    }

    @Test("block remove: only what is on the list, and a wider entry is named")
    func unblock() async throws {
        let service = try await service()
        let missing = await ask(service, "block remove", [("items", .strings(["old.example", "a@old.example"]))])
        #expect(missing.status == .refused)
        #expect(missing.error?.contains("old.example covers it") == true)
        let done = await ask(service, "block remove", [("items", .strings(["OLD.example"]))])
        #expect(done.status == .done)
        #expect(await service.orders == ["unblock [\"old.example\"] ana"])
    }

    @Test("block list: each entry with what it covers, in the order of its bytes, page by page")
    func list() async throws {
        let service = FakeService()
        let entries = ["b.example", "a@b.example", "a@b.example/x"]
        await service.set(blocked: BlockList(try entries.map { try JID($0) }))
        let result = await ask(service, "block list", [])
        #expect(result.data.array?.map { $0["jid"]?.string } == ["a@b.example", "a@b.example/x", "b.example"])
        #expect(result.data.array?.map { $0["covers"]?.string } == ["contact", "resource", "domain"])
        let many = (0..<9_000).map { JID(Samples.jid("user\($0)@a-rather-long-domain.example")) }
        await service.set(blocked: BlockList(many))
        let first = await ask(service, "block list", [])
        let next = try #require(first.next)
        let rest = await CommandModel(service: service) { Samples.now }
            .perform("block list", arguments: next, by: Caller(name: "ana", role: .viewer))
        let shown = (first.data.array ?? []) + (rest.data.array ?? [])
        #expect(Set(shown.compactMap { $0["jid"]?.string }).count == shown.count)
        #expect(shown.count > (first.data.array ?? []).count)
    }

    @Test(
        "what the server did not do is said, and what to do",
        arguments: [
            (OrderOutcome.offline, "is not online"), (.notOffered, "knows no blocking"),
            (.refused("forbidden (auth)"), "refused: forbidden"), (.noReply, "did not answer"),
        ])
    func failures(outcome: OrderOutcome, words: String) async throws {
        let service = try await service()
        await service.set(outcome: outcome)
        let result = await ask(service, "block add", [("items", .strings(["a.example"]))])
        #expect(result.status == .refused)
        #expect(result.error?.contains(words) == true)
        #expect(result.data["blocked"] == .array([]))
    }

    @Test("invite: bounds, the one whom it is for, and the contract's object")
    func invite() async throws {
        let service = try await service()
        let made = await ask(
            service, "invite", [("expires", .string("2d")), ("uses", .integer(3)), ("name", .string("S"))])
        #expect(made.status == .done)
        #expect(made.data["uri"]?.string?.hasPrefix("xmpp:\(account)?roster;preauth=") == true)
        #expect(made.data["uses_left"] == .integer(3))
        #expect(made.data["state"] == .string("valid"))
        #expect(made.data["expires_at"] == .string("2026-01-07T12:00:00.000Z"))
        for expires in ["59s", "367d", "x", "", "1", "-1d", "99999999999999999999d"] {
            #expect(await ask(service, "invite", [("expires", .string(expires))]).status == .usage, "\(expires)")
        }
        for uses in [0, -1, 10_001] {
            #expect(await ask(service, "invite", [("uses", .integer(uses))]).status == .usage)
        }
        #expect(await ask(service, "invite", [("for", .string(account))]).status == .refused)
        #expect(await service.invitations.count == 1)
    }

    @Test("invite list shows no token; invite revoke answers for each")
    func listAndRevoke() async throws {
        let service = try await service()
        for _ in 0..<2 { _ = await ask(service, "invite", []) }
        let list = await ask(service, "invite list", [])
        #expect(list.data.array?.count == 2)
        #expect(!list.data.oneLine.contains("abcdefghijklmnopqrstuvwxyz"))
        let model = CommandModel(service: service) { Samples.now }
        let revoked = await model.perform(
            "invite revoke", arguments: .object(["ids": .strings(["1", "7"])]), by: Caller(name: "ben", role: .operator)
        )
        #expect(revoked.status == .refused)
        #expect(revoked.data.array?.map { $0["error"]?.string == nil } == [true, false])
        #expect(await ask(service, "invite list", []).data.array?.count == 1)
        #expect(await ask(service, "invite list", [("all", .bool(true))]).data.array?.count == 2)
    }

    @Test("'invite list' is the list, and 'invite' with an account makes one")
    func parsing() throws {
        func identifier(_ words: [String]) throws -> Command.Identifier? {
            if case .run(let invocation) = try CommandLineParser.parse(words) {
                invocation.command.identifier
            } else {
                nil
            }
        }
        #expect(try identifier(["invite", "a@example.org", "--uses", "2"]) == .invite)
        #expect(try identifier(["invite", "list"]) == .inviteList)
        #expect(try identifier(["invite", "list", "a@example.org", "--all"]) == .inviteList)
        #expect(try identifier(["invite", "revoke", "3"]) == .inviteRevoke)
        #expect(throws: UsageError.self) { try CommandLineParser.parse(["invite"]) }
    }

    // MARK: The code

    @Test("a QR code has its finders and its quiet zone, two modules a character, and fits or is not shown")
    func code() throws {
        let code = try #require(QRCode("xmpp:support@example.org?roster;preauth=abcdefghijklmnopqrstuvwxyz"))
        let side = code.modules.count
        #expect(side >= 21 && (side - 17).isMultiple(of: 4))
        #expect(code.modules.allSatisfy { $0.count == side })
        for (row, column) in [(0, 0), (0, side - 7), (side - 7, 0)] {
            for (y, x) in [(0, 0), (0, 6), (6, 0), (6, 6), (3, 3)] { #expect(code.modules[row + y][column + x]) }
            for (y, x) in [(1, 1), (1, 5), (5, 1), (5, 5)] { #expect(!code.modules[row + y][column + x]) }
        }
        let lines = code.lines(width: 80)
        #expect(lines.count == (side + 9) / 2)
        #expect(lines.allSatisfy { $0.columns == side + 8 })
        let full = String(repeating: "█", count: side + 8)
        for line in lines.prefix(2) + lines.suffix(1) { #expect(line.rendered(colours: false) == full) }
        // On a terminal of dark letters it is not turned inside out.
        #expect(lines.allSatisfy { $0.rendered(colours: true).hasPrefix("\u{1B}[97;40m") })
        #expect(code.lines(width: side + 7).isEmpty)
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "a", count: 3_000)) == nil)
    }
}

extension FakeService {
    func set(outcome: OrderOutcome) { orderOutcome = outcome }
}
