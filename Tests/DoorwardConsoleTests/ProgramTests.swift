import DoorwardConfig
import DoorwardConsole
import DoorwardStore
import Foundation
import Testing
import XMPPTransport

/// What the program prints, and where.
final class Screen: Sendable {
    private let state = Locked<(output: String, errors: String)>(("", ""))

    var output: String { state.withLock { $0.output } }
    var errors: String { state.withLock { $0.errors } }

    func program() -> Program { Program(output: out, now: { Samples.now }) }

    var out: Output {
        Output(width: 80, colours: false) { [state] text, isError in
            state.withLock { if isError { $0.errors += text } else { $0.output += text } }
        }
    }
}

/// The whole way: command line, files, socket, service, words and exit status.
@Suite("The program", .serialized)
struct ProgramTests {
    /// Runs it against a service that listens where the configuration says.
    func withService(
        _ service: FakeService,
        _ body: (@escaping @Sendable ([String]) async throws -> (ProgramStatus, Screen)) async throws -> Void
    ) async throws {
        try await withServer(service) { path, _ in
            let file = path.replacingOccurrences(of: "c.sock", with: "doorward.yaml")
            // Faulty on purpose: a command must reach the service while its files have faults.
            try "version: 1\ncontrol: c.sock   # here\nnonsense: [\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            try await body { words in
                let screen = Screen()
                let status = try await onThread { screen.program().run(words + ["--config", file]) }
                return (status, screen)
            }
        }
    }

    @Test("accept: words on standard output, then the desk has it")
    func accept() async throws {
        try await withService(FakeService(requests: [Samples.request(17), Samples.request(18)])) { run in
            let (status, screen) = try await run(["accept", "17@1"])
            #expect(status == .done)
            #expect(
                screen.output == "Accepted ann@example.test for support@doorward.test. The answer goes out now.\n")
            #expect(screen.errors.isEmpty)
            let (_, pending) = try await run(["pending"])
            #expect(pending.output.hasPrefix("1 request waits:\n\n   18  ann@example.test"))
        }
    }

    @Test("a refusal is one line on standard error and exit 1; what was done is done")
    func refusal() async throws {
        try await withService(FakeService(requests: [Samples.request(17), Samples.request(18, state: .accepted)])) {
            run in
            let (status, screen) = try await run(["reject", "17", "18", "19"])
            #expect(status == .refused)
            #expect(screen.output.hasPrefix("Rejected ann@example.test"))
            #expect(
                screen.errors == """
                    doorward: 18 was already accepted by ana, 4 s ago
                    doorward: there is no request 19; 'doorward pending' shows those that wait

                    """)
        }
    }

    @Test(
        "--json prints one document, on refusals too",
        arguments: [
            ["status", "--json"], ["pending", "--json"], ["pending", "--all", "--json"],
            ["history", "--json", "--limit", "1"],
            ["alerts", "--json"], ["reload", "--json"], ["accept", "17", "99", "--json"], ["reject", "18", "--json"],
        ])
    func json(words: [String]) async throws {
        try await withService(FakeService(requests: [Samples.request(17), Samples.request(18)])) { run in
            let (status, screen) = try await run(words)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(screen.output.utf8)) }
            #expect(status == (words.contains("99") ? .refused : .done))
            #expect(screen.errors.isEmpty == (status == .done))
        }
    }

    @Test("what cannot be seen in a file is spelled out once, with the caret under its place")
    func invisible() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/c.yaml"
            try Data("version: 1\nstore: sqlite:x.db\na\u{200B}b: { c: [\n".utf8).write(to: URL(filePath: path))
            let screen = Screen()
            #expect(screen.program().run(["check", "--config", path]) == .usage)
            #expect(screen.output.contains("unknown key 'a\\u{200B}b'"))
            #expect(screen.output.contains("\n    a\\u{200B}b: { c: [\n    ^\n"))
        }
    }

    @Test("pending with a number: the request whole; of one that is not there exit 1")
    func oneRequest() async throws {
        try await withService(FakeService(requests: [Samples.request(17), Samples.request(18)])) { run in
            let (status, screen) = try await run(["pending", "18"])
            #expect(status == .done)
            #expect(screen.output.hasPrefix("   18  ann@example.test"))
            #expect(!screen.output.contains("   17  "))
            let (missing, words) = try await run(["pending", "99", "17"])
            #expect(missing == .refused)
            #expect(words.output.hasPrefix("   17  ann@example.test"))
            #expect(
                words.errors == "doorward: there is no request 99; 'doorward pending' shows those that wait\n")
            for wrong in [["pending", "17@1"], ["pending", "x"], ["pending", "17", "--all"]] {
                #expect(try await run(wrong).0 == .usage)
            }
        }
    }

    @Test("history knows whether there are older rows, and keeps the flags in the line to type")
    func olderRows() async throws {
        let service = FakeService()
        await service.set(history: [9, 8, 7].map { Samples.history($0) })
        try await withService(service) { run in
            let account = ["--account", "support@doorward.test"]
            let (_, first) = try await run(["history", "--limit", "2"] + account)
            #expect(
                first.output.contains(
                    "Older rows: 'doorward history --before h8 --account support@doorward.test --limit 2 --config "))
            #expect(!first.output.contains("h7"))
            let (_, whole) = try await run(["history", "--limit", "3"])
            #expect(whole.output.contains("h7") && !whole.output.contains("Older"))
            let (_, end) = try await run(["history", "--before", "h7"])
            #expect(end.output == "No older rows.\n")
            let (_, json) = try await run(["history", "--limit", "2", "--json"])
            #expect(try JSONReader.read(Array(json.output.utf8)).array?.count == 2)
        }
    }

    @Test("a flood on the desk comes whole over the socket")
    func flood() async throws {
        let rows = (1...130).map { Samples.request(Int64($0), message: String(repeating: "\u{1B}", count: 16_384)) }
        try await withService(FakeService(requests: rows)) { run in
            let (status, screen) = try await run(["pending", "--json"])
            #expect(status == .done)
            let document = try JSONReader.read(Array(screen.output.utf8))
            #expect(document.array?.compactMap { $0["id"]?.integer } == rows.map(\.id))
        }
    }

    @Test("an account that is not there is exit 1, with its likely name", arguments: ["pending", "history"])
    func unknownAccount(command: String) async throws {
        let service = FakeService()
        await service.set(history: [])
        try await withService(service) { run in
            let (status, screen) = try await run([command, "--account", "suport@doorward.test"])
            #expect(status == .refused)
            #expect(
                screen.errors
                    == "doorward: there is no account suport@doorward.test; did you mean 'support@doorward.test'?\n")
        }
    }

    @Test(
        "without a service the exit is 3, with a file that is not there 2",
        arguments: ["status", "pending", "history", "alerts", "reload"])
    func notRunning(command: String) async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/doorward.yaml"
            let missing = Screen()
            #expect(missing.program().run([command, "--config", file]) == .usage)
            #expect(missing.errors.contains("cannot be read: No such file or directory; name another file with"))
            try "control: \"sub dir/c.sock\"\n".write(toFile: file, atomically: true, encoding: .utf8)
            let screen = Screen()
            #expect(screen.program().run([command, "--config", file]) == .notRunning)
            #expect(
                screen.errors.hasPrefix(
                    "doorward: the service is not running (nobody listens at \(folder)/sub dir/c.sock)"))
            #expect(screen.errors.hasSuffix("start it with 'doorward run' or 'doorward demo'\n"))
            try "version: 1\n".write(toFile: file, atomically: true, encoding: .utf8)
            let unnamed = Screen()
            #expect(unnamed.program().run([command, "--config", file]) == .usage)
            #expect(unnamed.errors.contains("names no control socket"))
        }
    }

    @Test(
        "the socket's path is read as the service reads it, also of a file with faults",
        arguments: [
            "control: 'it''s.sock'\n", "control: \"it\\x27s.sock\"\n", "version: 1\ncontrol:   it's.sock   # here\n",
            "\u{FEFF}control: it's.sock\n", "control:\n  it's.sock\n", "{version: 1, control: it's.sock}\n",
            "store: &a it's.sock\ncontrol: *a\n", "\"control\": it's.sock\r\n", "control: >-\n  it's.sock\n",
            "# control: x\nnote: |\n  text\n  control: x\ncontrol: it's.sock\nbots: [\n",
            "control: it's.sock\ncontrol: second.sock\nx: !tag y\n", "control: ./sub/../it's.sock\n\u{7}\n",
        ])
    func quotedSocket(text: String) async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/doorward.yaml"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let screen = Screen()
            #expect(screen.program().run(["status", "--config", file]) == .notRunning)
            #expect(screen.errors.contains("(nobody listens at \(folder)/it's.sock)"), "\(screen.errors)")
        }
    }

    @Test("'..' in the socket's path means what the kernel means, also behind a link")
    func linkedFolder() async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            try files.createDirectory(atPath: folder + "/real/config", withIntermediateDirectories: true)
            try files.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "real/config")
            try "control: ../c.sock\n".write(
                toFile: folder + "/link/doorward.yaml", atomically: true, encoding: .utf8)
            let screen = Screen()
            #expect(screen.program().run(["status", "--config", folder + "/link/doorward.yaml"]) == .notRunning)
            #expect(screen.errors.contains("(nobody listens at \(folder)/real/c.sock)"), "\(screen.errors)")
        }
    }

    @Test("a file that cannot say where the socket is: exit 2, and why", arguments: ["--config", "--overlay"])
    func unreadable(flag: String) async throws {
        try await withTemporaryFolder { folder in
            let good = folder + "/good.yaml"
            try "control: c.sock\n".write(toFile: good, atomically: true, encoding: .utf8)
            let cases: [(Data?, String)] = [
                (nil, "cannot be read: No such file"), (Data(), "is empty"), (Data("\n \n".utf8), "is empty"),
                (Data([0xFF, 0xFE]), "is no text"), (Data(count: 1_048_577), "cannot be read: it has over 1 MiB"),
            ]
            for (content, says) in cases {
                let path = folder + "/bad.yaml"
                try? FileManager.default.removeItem(atPath: path)
                try content?.write(to: URL(filePath: path))
                let screen = Screen()
                let words = flag == "--config" ? [] : ["--config", good]
                #expect(screen.program().run(["status", flag, path] + words) == .usage)
                #expect(screen.errors.contains("bad.yaml \(says)"), "\(screen.errors)")
            }
        }
    }

    @Test("the overlay's socket counts before the configuration's")
    func overlay() async throws {
        try await withService(FakeService()) { run in
            try await withTemporaryFolder { folder in
                let overlay = folder + "/o.yaml"
                try "control: 'other.sock'\n".write(toFile: overlay, atomically: true, encoding: .utf8)
                let (status, screen) = try await run(["status", "--overlay", overlay])
                #expect(status == .notRunning)
                #expect(screen.errors.contains(folder + "/other.sock"))
            }
        }
    }

    @Test("a second terminal finds the demo, and says so")
    func demo() async throws {
        try await withTemporaryFolder { folder in
            for name in ["config", "var/demo"] {
                try FileManager.default.createDirectory(
                    atPath: folder + "/" + name, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            let file = folder + "/config/doorward.yaml"
            try "control: ../var/doorward.sock\n".write(toFile: file, atomically: true, encoding: .utf8)
            let loop = try EventLoop(name: "control")
            loop.start()
            let service = FakeService()
            let server = ControlServer(loop: loop, model: CommandModel(service: service) { Samples.now }) { [] }
            try await server.start(path: folder + "/var/demo/doorward.sock")
            let screen = Screen()
            #expect(try await onThread { screen.program().run(["status", "--config", file]) } == .done)
            #expect(screen.errors == "doorward: asking the demo, which listens at \(folder)/var/demo/doorward.sock\n")
            #expect(screen.output.hasPrefix("doorward 0.1.0, up for 4 s"))
            let json = Screen()
            #expect(
                try await onThread { json.program().run(["status", "--json", "--config", file]) } == .done)
            #expect(json.errors.isEmpty)
            await server.stop()
            loop.stop()
        }
    }

    @Test(
        "bad usage is exit 2 and one line",
        arguments: [
            ["stauts"], ["accept"], ["accept", "x"], ["roster", "@"], ["claim", "1"], ["pending", "--limit", "1"],
            ["run", "x"],
        ])
    func usage(words: [String]) {
        let screen = Screen()
        #expect(screen.program().run(words) == .usage)
        #expect(screen.output.isEmpty)
        #expect(screen.errors.hasPrefix("doorward: "))
        #expect(screen.errors.split(separator: "\n").count == 1)
    }

    @Test(
        "help and version go to standard output",
        arguments: [["--help"], ["help", "accept"], ["version"], ["--version"], []])
    func help(words: [String]) {
        let screen = Screen()
        #expect(screen.program().run(words) == .done)
        #expect(screen.output.contains("doorward"))
        #expect(screen.errors.isEmpty)
    }

    // MARK: Files

    @Test("check: faults in the form of the contract and exit 2; in --json the same faults")
    func check() async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/doorward.yaml"
            try "version: 1\nstor: sqlite:x.db\n".write(toFile: file, atomically: true, encoding: .utf8)
            let words = Screen()
            #expect(words.program().run(["check", "--config", file]) == .usage)
            let lines = words.output.split(separator: "\n").filter { $0.contains(/^[^ ].*: (error|warning)\[DW/) }
            #expect(!lines.isEmpty)
            let json = Screen()
            #expect(json.program().run(["check", "--config", file, "--json"]) == .usage)
            let faults = try #require(JSONReader.read(Array(json.output.utf8)).array)
            #expect(faults.count == lines.count)
            for fault in faults {
                #expect(
                    fault.members?.map(\.key) == [
                        "path", "line", "column", "severity", "code", "message", "suggestion",
                    ])
            }
            #expect(Screen().program().run(["run", "--config", file]) == .usage)
        }
    }
}
