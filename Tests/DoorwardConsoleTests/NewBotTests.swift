import DoorwardConfig
import Foundation
import Testing
import XMPPClient

@testable import DoorwardConsole

@Suite("new bot", .serialized)
struct NewBotTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/doorward-new-\(UUID().uuidString)"
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Stands for the module that the written package has.
    private struct RainRadar: XMPPModule {
        struct Settings: Decodable {
            var greeting: String
            var limit: UInt16?
        }

        static let name = "rain-radar"
        static let interests: ModuleInterests = []
        init(settings: Settings) {}
        func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {}
    }

    private func run(_ words: [String], modules: [any XMPPModule.Type] = []) -> (ProgramStatus, Screen) {
        let screen = Screen()
        return (Program(output: screen.out, modules: modules, now: { Samples.now }).run(words), screen)
    }

    @Test("writes a folder that has no faults, for a program with its module")
    func writes() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (status, screen) = run(["new", "bot", "rain-radar", "--into", folder, "--doorward", Self.root])
        #expect(status == .done)
        #expect(screen.output.contains("swift test"))
        #expect(screen.errors.isEmpty)
        let main = try String(contentsOfFile: folder + "/Sources/RainRadarBot/main.swift", encoding: .utf8)
        #expect(main == "import DoorwardConsole\n\nDoorwardMain.run(modules: [RainRadarModule.self])\n")
        let manifest = try String(contentsOfFile: folder + "/Package.swift", encoding: .utf8)
        #expect(manifest.contains(".package(name: \"doorward\", path: \"\(Self.root)\")"))
        let (checked, faults) = run(
            ["check", "--config", folder + "/config/doorward.yaml"], modules: [RainRadar.self])
        #expect(checked == .done)
        #expect(faults.output.contains("no errors, 1 warning (1 account, 1 policy)"))
        // The warning is of bot.yaml, so the last line names that.
        #expect(faults.output.split(separator: "\n").last?.contains("/bot.yaml: no errors") == true)
    }

    @Test(
        "a program without the module says which one has it, and names the file with the fault",
        arguments: [true, false])
    func foreign(json: Bool) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run(["new", "bot", "rain-radar", "--into", folder, "--doorward", Self.root])
        let config = folder + "/config/doorward.yaml"
        let (status, screen) = run(["check", "--config", config] + (json ? ["--json"] : []))
        #expect(status == .usage)
        #expect(screen.output.contains("error[DW095]") != json)
        #expect(
            screen.output.contains("the bot's own program has the modules of its folder: 'swift run rain-radar check'"))
        if !json {
            let last = screen.output.split(separator: "\n").last ?? ""
            #expect(last.hasSuffix("/bot.yaml: 1 error and 1 warning"), "\(last)")
        }
        try FileManager.default.removeItem(atPath: folder + "/Package.swift")
        #expect(!run(["check", "--config", config]).1.output.contains("swift run"))
        try Data("version: 1\nnonsense: 1\nbots: [../bot.yaml]\n".utf8).write(to: URL(filePath: config))
        #expect(run(["check", "--config", config]).1.output.contains("\n2 files: "))
    }

    @Test("refuses a folder that is there, and touches nothing of it")
    func refuses() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (status, screen) = run(["new", "bot", "rain-radar", "--into", folder, "--doorward", Self.root])
        #expect(status == .refused)
        #expect(screen.errors.contains("is there already"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test("knows the names that this package has: a package with the same would not load")
    func taken() throws {
        let manifest = try String(contentsOfFile: Self.root + "/Package.swift", encoding: .utf8)
        let bots = manifest.matches(of: /"([A-Z][a-z]+)Bot"/).map { $0.output.1.lowercased() }
        #expect(bots.count >= 2 && BotName.taken.isSuperset(of: bots))
    }

    @Test(
        "takes no name that could not be one in Swift, or is the library's",
        arguments: ["Weather", "1st", "a b", "../x", "-x", "x-", "ä", "", "echo", "greeter", "doorward"])
    func names(name: String) {
        #expect(run(["new", "bot", "--into", folder, "--", name]).0 == .usage)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("says what it needs where the library is not at the path")
    func library() {
        let (status, screen) = run(["new", "bot", "x", "--into", folder, "--doorward", "/"])
        #expect(status == .usage)
        #expect(screen.errors.contains("is not the folder of Doorward's package"))
    }
}
