import DoorwardConsole
import Foundation
import Testing

/// The tutorial of a bot shows what `new bot` writes, which `.ci/new-bot` builds, tests and runs.
@Suite struct BotTutorialTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let tutorials = root.appending(path: "Sources/XMPPClient/XMPPClient.docc/Tutorials")
    private static let code = tutorials.appending(path: "BotCode")

    private static func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    @Test("what it shows is what is written")
    func written() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-tutorial-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let screen = Screen()
        let program = Program(output: screen.out, now: { Samples.now })
        #expect(program.run(["new", "bot", "weather", "--into", folder.path, "--doorward", Self.root.path]) == .done)
        for (shown, written) in [
            ("Bot-5.swift", "Sources/WeatherBot/WeatherModule.swift"),
            ("Bot-main.swift", "Sources/WeatherBot/main.swift"),
            ("Bot-tests.swift", "Tests/WeatherBotTests/WeatherModuleTests.swift"), ("Bot-settings.yaml", "bot.yaml"),
            ("Bot-policy.yaml", "policy.yaml"),
        ] {
            #expect(
                try Self.text(Self.code.appending(path: shown)) == Self.text(folder.appending(path: written)),
                "\(shown)")
        }
    }

    @Test("its steps lead to the module, each with more lines of it, and each file is shown")
    func steps() throws {
        let tutorial = try Self.text(Self.tutorials.appending(path: "BotInSteps.tutorial"))
        let shown = tutorial.matches(of: /file: "([^"]+)"/).map { String($0.1) }
        #expect(Set(shown) == Set(try FileManager.default.contentsOfDirectory(atPath: Self.code.path)))
        let steps = shown.filter { $0.contains(/-[0-9]\.swift/) }
        #expect(steps == (1...5).map { "Bot-\($0).swift" })
        let module = try Self.text(Self.code.appending(path: "Bot-5.swift")).split(separator: "\n")
        var before = 0
        for step in steps {
            let lines = try Self.text(Self.code.appending(path: step)).split(separator: "\n")
            var rest = module[...]
            for line in lines {
                rest = rest.drop { $0 != line }
                #expect(!rest.isEmpty, "\(step): \(line)")
                rest = rest.dropFirst()
            }
            #expect(lines.count > before)
            before = lines.count
        }
    }
}
