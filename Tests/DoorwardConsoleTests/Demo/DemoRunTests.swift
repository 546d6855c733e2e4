import DoorwardConfig
import EchoBot
import Foundation
import GreeterBot
import Testing
import XMPPCore
import XMPPTransport

@testable import DoorwardConsole

@Suite("The demo as a whole", .serialized)
struct DemoRunTests {
    /// A copy of the shipped configuration in a folder of its own.
    private func withShippedFiles(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "doorward-demo-" + UUID().uuidString.prefix(8)
        defer { Files.remove(folder) }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        try Files.makeFolder(folder, mode: 0o700)
        for part in ["config", "bots"] {
            try FileManager.default.copyItem(
                at: root.appending(path: part), to: URL(filePath: folder).appending(path: part))
        }
        try await body(folder)
    }

    private func run(_ words: [String]) async throws -> (
        status: ProgramStatus, text: String, errors: String
    ) {
        let written = Locked(("", ""))
        let output = Output(width: 100, colours: false) { text, isError in
            written.withLock { isError ? ($0.1 += text) : ($0.0 += text) }
        }
        let program = Program(output: output, modules: [Echo.self, Greeter.self], now: wallClock)
        let status = try await BlockingPool.run { program.run(words) }
        return written.withLock { (status, $0.0, $0.1) }
    }

    @Test("'demo --once' tells what came of five guests, and leaves nothing running")
    func once() async throws {
        try await withShippedFiles { folder in
            let (status, text, errors) = try await run(["demo", "--once", "--config", folder + "/config/doorward.yaml"])
            #expect(errors.isEmpty)
            #expect(status == .done)
            let expected = [
                "support@doorward.test         online", "is accepted by the rule 'friends walk in'",
                "Zoe got the yes, and now sees when support@doorward.test is online", "Zoe agrees",
                "is rejected by the rule 'known spam hosts', and blocked", "Best Deals got the no",
                "is rejected by the rule 'smells like an advert'", "Lucky got the no",
                "waits for an operator, as request 4", "waits for an operator, as request 5", "two requests wait",
                "--once: the demo ends now.", "Stopped.",
            ]
            var rest = text[...]
            for words in expected {
                let place = try #require(rest.range(of: words), "\(words), after what comes before it, in:\n\(text)")
                rest = rest[place.upperBound...]
            }
            let demo = folder + "/var/demo"
            let exists = FileManager.default.fileExists(atPath:)
            #expect(!exists(demo + "/prosody/prosody.pid"))
            #expect(!exists(demo + "/doorward.sock"))
            #expect(Files.tail(demo + "/doorward.log").contains("event=decided"))
            for name in Files.names(in: demo + "/passwords") {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(demo)/passwords/\(name)")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let password = Files.tail("\(demo)/passwords/\(name)").trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(password.count == 32)
                #expect(!Files.tail(demo + "/doorward.log").contains(password))
            }
        }
    }

    @Test("accounts of real hosts are left alone; where there are no others, the demo says what to run instead")
    func realHosts() async throws {
        try await withShippedFiles { folder in
            for name in Files.names(in: folder + "/bots") {
                let path = "\(folder)/bots/\(name)/bot.yaml"
                let text = Files.tail(path).replacing(".test", with: ".example")
                try Files.write(text, to: path, mode: 0o644)
            }
            let (status, _, errors) = try await run(["demo", "--once", "--config", folder + "/config/doorward.yaml"])
            #expect(status == .refused)
            #expect(errors.contains("no account below .test"))
            #expect(errors.contains("make run CONFIG="))
        }
        #expect(!DemoSetup.isHosted(try BareJID("a@latest")))
        #expect(!DemoSetup.isHosted(try BareJID("a@test.example")))
        #expect(DemoSetup.isHosted(try BareJID("a@b.test")))
    }

    @Test("a configuration with a fault starts nothing")
    func faultyFile() async throws {
        try await withShippedFiles { folder in
            let path = folder + "/config/doorward.yaml"
            try Files.write(Files.tail(path) + "\nbogus: 1\n", to: path, mode: 0o644)
            let (status, _, errors) = try await run(["demo", "--once", "--config", path])
            #expect(status == .usage)
            #expect(errors.contains("unknown key 'bogus'") && errors.contains("error[DW"))
            #expect(errors.hasSuffix("has errors, so nothing was started; 'doorward check' shows them again\n"))
            #expect(!FileManager.default.fileExists(atPath: folder + "/var/demo/prosody"))
        }
    }

    @Test("an overlay of the user's is refused, since the demo writes its own")
    func overlay() async throws {
        let (status, _, errors) = try await run(["demo", "--overlay", "x.yaml", "--config", "config/doorward.yaml"])
        #expect(status == .usage)
        #expect(errors.contains("--overlay"))
    }

    @Test("two demos do not share a folder, and it lies beside the configuration's")
    func folder() async throws {
        try await withShippedFiles { folder in
            let file = folder + "/config/doorward.yaml"
            let taken = try DemoFolder.take(besideConfiguration: file)
            #expect(taken.path.hasSuffix("/var/demo"))
            // `run` puts its socket into `var`, and asks for a folder that others cannot enter.
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/var")[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o027 } == 0)
            #expect(throws: DemoError.self) { try DemoFolder.take(besideConfiguration: file) }
        }
        #expect(DemoFolder.path(besideConfiguration: "/srv/doorward/config/doorward.yaml") == "/srv/doorward/var/demo")
        #expect(DemoFolder.path(besideConfiguration: "/doorward.yaml") == "/var/demo")
    }

    @Test(
        "words are quoted for a shell where it would read them otherwise",
        arguments: [
            (".build/release/doorward", ".build/release/doorward"), ("a b", "'a b'"), ("it's", "'it'\\''s'"),
            ("$HOME;ls", "'$HOME;ls'"), ("", "''"), ("a`b", "'a`b'"), ("a@b{c}", "'a@b{c}'"),
        ])
    func shellQuoting(word: String, expected: String) {
        #expect(shellQuoted(word) == expected)
    }
}
