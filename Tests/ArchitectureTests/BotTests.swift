import Foundation
import Testing

@Suite("The bots of this repository")
struct BotTests {
    /// What the Swift code of a bot may import: what anybody's may.
    private static let modules: Set<String> = ["XMPPCore", "XMPPClient", "XMPPModules", "FoundationEssentials"]

    @Test("their code uses the products for bot authors and nothing else of this package")
    func imports() throws {
        let files = try SourceTree.files(under: "bots").filter { $0.path.contains("/Sources/") }
        #expect(files.count >= 2)
        for file in files {
            for line in file.code {
                guard let match = line.prefixMatch(of: /\s*(?:package |public )?import\s+([A-Za-z0-9]+)/) else {
                    continue
                }
                #expect(Self.modules.contains(String(match.output.1)), "\(file.path): \(line)")
            }
        }
    }

    @Test("each has a page, its accounts, and its module in the program")
    func folders() throws {
        let listed = try String(
            contentsOf: SourceTree.root.appending(path: "Sources/doorward/BuiltInModules.swift"), encoding: .utf8)
        for folder in try SourceTree.folders(under: "bots") {
            let path = SourceTree.root.appending(path: "bots/\(folder)")
            for name in ["README.md", "bot.yaml"] {
                #expect(
                    FileManager.default.fileExists(atPath: path.appending(path: name).path), "bots/\(folder)/\(name)")
            }
            let page = try String(contentsOf: path.appending(path: "README.md"), encoding: .utf8)
            #expect(page.contains("make run BOT=\(folder)"), "bots/\(folder)/README.md says how to run it")
            #expect(FileManager.default.fileExists(atPath: path.appending(path: "Tests").path), "bots/\(folder)/Tests")
            guard FileManager.default.fileExists(atPath: path.appending(path: "Sources").path) else { continue }
            let target = folder.prefix(1).uppercased() + folder.dropFirst() + "Bot"
            #expect(listed.contains("import \(target)\n"), "\(target)")
            #expect(botTargets.contains(target), "\(target)")
        }
    }
}
