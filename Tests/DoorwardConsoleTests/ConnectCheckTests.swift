import DoorwardConfig
import Foundation
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

@testable import DoorwardConsole

/// `doorward check --connect`: one login in words.
@Suite("check --connect")
struct ConnectCheckTests {
    private static let account = BareJID(preparedLocal: "support", preparedDomain: "doorward.test")

    /// The account allows PLAIN, which the check never uses.
    private static func configuration(_ storePath: String = "/nowhere/doorward.db") -> Configuration {
        var one = AccountConfiguration(
            jid: account, bot: "b", policy: "p", password: .environment(name: "P"), connect: .init(),
            resource: "doorward", mode: .enforce)
        one.login.allowsPlain = true
        return Configuration(
            path: "doorward.yaml", storePath: storePath, controlPath: "", operators: [], policies: [:],
            accounts: [one], redeliveryWait: .seconds(30))
    }

    func check(
        json: Bool = false, password: String = "secret", certificateDays: Int64? = nil,
        store: String = "/nowhere/doorward.db",
        _ behave: @Sendable (inout ServerBehaviour) -> Void = { _ in }
    ) async throws -> (status: ProgramStatus, screen: Screen, server: ScriptedServer) {
        let server = try ScriptedServer()
        await server.add(Self.account, password: "secret")
        await server.behave(behave)
        if let certificateDays {
            var tls = TLSSummary.inMemory
            // A minute more, for the time that this takes.
            tls.certificateEnd = Int64(Date().timeIntervalSince1970) + certificateDays * 86_400 + 60
            tls.keyDigest = [UInt8](repeating: 0, count: 32)
            await server.agree(on: .inMemory, clientSees: tls)
        }
        let screen = Screen()
        var check = try #require(
            ConnectCheck("Support@doorward.test", of: Self.configuration(store), output: screen.out, isJSON: json))
        check.connector = server.connector
        check.readSecret = { _ in Array(password.utf8) }
        return (await check.run(), screen, server)
    }

    @Test("a good login is told step by step, ends behind the binding, and is nobody's session")
    func good() async throws {
        let (status, screen, server) = try await check { $0 = .modern }
        #expect(status == .done)
        #expect(screen.errors.isEmpty)
        let lines = screen.output.split(separator: "\n").map(String.init)
        let parts = [
            "connecting to the servers of doorward.test", "TLSv1.3", "offered within TLS",
            "login by SCRAM-SHA-256-PLUS",
            "bound to TLS by tls-exporter", "bound as support@doorward.test/", "stream management (XEP-0198)",
            "SASL2 (XEP-0388)", "tokens (FAST", "support@doorward.test can log in",
        ]
        for part in parts { #expect(lines.contains { $0.contains(part) }, "\(part) in \(screen.output)") }
        #expect(!screen.output.contains("advice"))
        #expect(!screen.output.contains("secret"))
        #expect(
            !server.received.all.contains {
                $0.element.name == "presence" || $0.element.first("query", Namespace.roster) != nil
            })
    }

    @Test("each check has a resource and an identity of its own")
    func identities() async throws {
        var seen: Set<String> = []
        for _ in 0..<2 {
            let (_, screen, server) = try await check { $0 = .modern }
            let id = server.received.all.compactMap {
                $0.element.first("user-agent", "urn:xmpp:sasl:2")?[attribute: "id"]
            }
            seen.formUnion(id)
            let bound = screen.output.split(separator: "\n").first { $0.hasPrefix("bound as") }
            seen.insert(String(bound ?? ""))
        }
        #expect(seen.count == 4)
    }

    @Test(
        "what is weak about a login is said, with what to do",
        arguments: [
            (["SCRAM-SHA-1", "SCRAM-SHA-256"], "the login was not bound to its TLS connection"),
            (["SCRAM-SHA-1", "PLAIN"], "the server offers PLAIN too"),
        ])
    func advice(mechanisms: [String], says: String) async throws {
        let (status, screen, _) = try await check { $0.mechanisms = mechanisms }
        #expect(status == .done)
        #expect(screen.output.contains("advice: \(says)"), "\(screen.output)")
        #expect(screen.output.contains("no stream management (XEP-0198)"))
    }

    @Test("a login that fails is status 1, and the last line says what to do")
    func failing() async throws {
        let (status, screen, _) = try await check(password: "hunter2")
        #expect(status == .refused)
        #expect(screen.errors.hasPrefix("doorward: support@doorward.test cannot log in: "))
        #expect(screen.errors.contains("check the password"))
        #expect(!(screen.errors + screen.output).contains("hunter2"))
        let (unreachable, other, _) = try await check { $0.isReachable = false }
        #expect(unreachable == .refused)
        #expect(other.errors.contains("connect: { host: … }"))
        let (plain, third, server) = try await check { $0.mechanisms = ["PLAIN"] }
        #expect(plain == .refused)
        #expect(third.errors.contains("no login that is safe"))
        #expect(third.errors.contains("login: { plain: allowed }"))
        #expect(!server.received.all.contains { $0.element.name == "auth" })
    }

    private static let memories = [
        (["SCRAM-SHA-1", "SCRAM-SHA-256"], false, true), (["PLAIN"], true, false), (["PLAIN"], true, true),
    ]

    @Test(
        "what the service remembers holds for the check, and it is read while the service has the store",
        arguments: memories)
    func memory(mechanisms: [String], isStrong: Bool, isBound: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/doorward.db"
        let store = try Store(path: path)
        let row = LoginRow(isStrong: isStrong, isBound: isBound, userAgent: "a")
        try await store.save(row, of: Self.account)
        let (status, screen, server) = try await check(store: path) { $0.mechanisms = mechanisms }
        #expect(status == .refused)
        #expect(screen.errors.contains("somebody may stand in between"), "\(screen.errors)")
        #expect(screen.errors.contains("the service makes no such login either"))
        #expect(screen.errors.contains("doorward account trust-again"))
        #expect(!screen.output.contains("can log in"))
        #expect(!server.received.all.contains { ["auth", "authenticate"].contains($0.element.name) })
        // Nothing was changed, and where there is nothing of this account, or the offer is as good, it is a login.
        #expect(try await store.login(of: Self.account) == row)
        try await store.forgetLogin(of: Self.account)
        #expect(try await check(store: path).status == .done)
        try await store.save(row, of: Self.account)
        #expect(try await check(store: path) { $0 = .modern }.status == .done)
        await store.close()
        // Without a service beside it.
        #expect(try await check(store: path) { $0.mechanisms = mechanisms }.status == .refused)
        #expect(try await check(store: folder + "/other.db").status == .done)
    }

    @Test("a store that cannot be read ends the check before anything is connected")
    func unreadableStore() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "doorward-\(UUID()).db").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: path))
        let (status, screen, server) = try await check(store: path)
        #expect(status == .refused)
        #expect(screen.errors.contains("run the check as the user of the service"), "\(screen.errors)")
        #expect(server.events.all.isEmpty)
    }

    @Test("what is no XMPP server is said to be none: a web server's port")
    func webServer() async throws {
        let (status, screen, _) = try await check { $0.saidAtOnce = "HTTP/1.1 400 Bad Request\r\n\r\n" }
        #expect(status == .refused)
        #expect(screen.errors.contains("may be no XMPP server"), "\(screen.errors)")
    }

    @Test("a password that cannot be read is said, and nothing is connected")
    func unreadable() async throws {
        let screen = Screen()
        var check = try #require(
            ConnectCheck("support@doorward.test", of: Self.configuration(), output: screen.out, isJSON: false))
        struct Missing: Error, CustomStringConvertible { let description = "it is not there" }
        check.readSecret = { _ in throw Missing() }
        #expect(await check.run() == .refused)
        #expect(screen.errors.contains("the password could not be read: it is not there"))
        #expect(screen.output.isEmpty)
    }

    @Test("--json is one document: account, done, error, steps, advice", arguments: ["secret", "hunter2"])
    func json(password: String) async throws {
        let (status, screen, _) = try await check(json: true, password: password)
        let document = try JSONReader.read(Array(screen.output.utf8))
        #expect(document.members?.map(\.key) == Self.members)
        #expect(document["certificate"]?.isNull == true)
        #expect(document["account"]?.string == "support@doorward.test")
        #expect(document["done"]?.bool == (status == .done))
        #expect(document["error"]?.isNull == (status == .done))
        let steps = document["steps"]?.array ?? []
        #expect(steps.allSatisfy { $0.members?.map(\.key) == ["step", "text"] })
        #expect(steps.first?["step"]?.string == "connecting")
        #expect(!screen.output.contains("hunter2"))
    }

    private static let members = ["account", "done", "error", "steps", "advice", "certificate"]

    @Test(
        "the server's certificate is told with its end and its key as a pin, and an end that is near with what to do",
        arguments: [(90, false), (14, false), (13, true), (1, true), (0, true)])
    func certificate(days: Int64, warns: Bool) async throws {
        let pin = "sha256/" + String(repeating: "A", count: 43) + "="
        let (_, screen, _) = try await check(certificateDays: days)
        let number = days == 1 ? "1 day" : "\(days) days"
        #expect(screen.output.contains("in \(number); its key is \(pin)\n"), "\(screen.output)")
        #expect(screen.output.contains("advice: the server's certificate ends in \(number)") == warns)
        let (_, other, _) = try await check(json: true, certificateDays: days)
        let document = try JSONReader.read(Array(other.output.utf8))
        #expect(document["certificate"]?["pin"]?.string == pin)
        #expect(document["certificate"]?["ends"]?.string?.hasSuffix("Z") == true)
    }

    @Test(
        "an account that no bot has is refused with a hint, and with --json by a document too",
        arguments: [true, false])
    func unknown(json: Bool) throws {
        let screen = Screen()
        #expect(ConnectCheck("suport@doorward.test", of: Self.configuration(), output: screen.out, isJSON: json) == nil)
        #expect(screen.errors.contains("did you mean 'support@doorward.test'?"))
        guard json else { return #expect(screen.output.isEmpty) }
        let document = try JSONReader.read(Array(screen.output.utf8))
        #expect(document.members?.map(\.key) == Self.members)
        #expect(document["account"]?.string == "suport@doorward.test")
        #expect(document["done"]?.bool == false)
        #expect(document["error"]?.string?.contains("no bot") == true)
    }

    @Test(
        "servers of direct TLS that DNS does not name are said so, with what to do, and no other address is spoken of")
    func noDirectTLS() {
        var report = ConnectReport()
        let steps = report.observed(
            ConnectionObservation(
                .connecting(.services(of: "a.test", isDirectTLS: true)), stage: .connecting, address: nil))
        #expect(steps.map(\.text) == ["connecting to the servers of a.test by direct TLS only"])
        #expect(report.remedy(for: SessionEnd(.unreachable("no")))?.contains("{ host: …, tls: direct }") == true)
        _ = report.observed(
            ConnectionObservation(
                .step(.found([.init(host: "x.test", port: 5223, isDirectTLS: true)])), stage: .connecting, address: nil)
        )
        #expect(report.remedy(for: SessionEnd(.unreachable("no")))?.contains("see the steps above") == true)
    }

    @Test("a target that was passed over is a step, with what it failed by")
    func passedOver() {
        var report = ConnectReport()
        let error = TransportError(.certificateRejected, "it has expired", certificateProblem: .expired)
        let steps = report.observed(
            ConnectionObservation(
                .passedOver("192.0.2.1:5222", SessionEnd(.unreachable(error.description)), error), stage: .securing,
                address: nil))
        #expect(steps.map(\.kind) == ["passed_over"])
        #expect(steps.map(\.text) == ["192.0.2.1:5222 passed over: certificate refused: it has expired"])
    }

    @Test("the command line: faults in the files come first, and then nothing is connected")
    func commandLine() throws {
        let screen = Screen()
        let file = "/nowhere/doorward.yaml"
        #expect(screen.program().run(["check", "--connect", "a@b.test", "--config", file]) == .usage)
        #expect(screen.errors.contains("nothing was connected"))
        #expect(screen.output.isEmpty)
        let third = Screen()
        #expect(third.program().run(["check", "--json", "--connect", "a@b.test", "--config", file]) == .usage)
        #expect(try JSONReader.read(Array(third.output.utf8))["done"]?.bool == false)
        let other = Screen()
        #expect(other.program().run(["check", "--connect", "@"]) == .usage)
        #expect(other.errors.contains("--connect needs an address"))
    }
}
