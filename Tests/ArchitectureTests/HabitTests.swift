import Testing

@Suite("Habits of the sources")
struct HabitTests {
    /// No file may grow past this; most are far below.
    static let lineLimit = 450

    @Test("no source is longer than the limit")
    func size() throws {
        for file in try SourceTree.files(under: "Sources") + SourceTree.files(under: "Tests") {
            #expect(file.lines.count <= Self.lineLimit, "\(file.path) has \(file.lines.count) lines")
        }
    }

    @Test(
        "no source can be made to trap by what it is given",
        arguments: ["try" + "!", "as" + "!", "fatal" + "Error(", "unsafelyUnwrapped", "unowned(unsafe)"]
    )
    func traps(word: String) throws {
        for file in try SourceTree.files(under: "Sources") {
            for (index, line) in file.code.enumerated() where line.contains(word) {
                Issue.record("\(file.path):\(index + 1) uses \(word)")
            }
        }
    }

    @Test("no source imports the whole of Foundation")
    func foundation() throws {
        for file in try SourceTree.files(under: "Sources") {
            #expect(!file.code.contains { $0.hasSuffix("import Foundation") }, "\(file.path)")
        }
    }

    @Test(
        "every promise to the compiler has its reason beside it",
        arguments: ["@unchecked Sendable", "nonisolated(unsafe)"]
    )
    func promises(word: String) throws {
        for file in try SourceTree.files(under: "Sources") {
            let lines = file.lines
            for (index, line) in file.code.enumerated() where line.contains(word) {
                // The reason is the comment above the declaration and its attributes, or one on its line.
                let above = lines[..<index].last { !$0.drop { $0 == " " }.hasPrefix("@") } ?? ""
                #expect(
                    above.contains("//") || line.contains("//"),
                    "\(file.path):\(index + 1): \(word) without a reason"
                )
            }
        }
    }

    @Test("there is one kind of lock, and it is one that ThreadSanitizer can see into")
    func locks() throws {
        let other = /\bMutex[(<]/
        for file in try SourceTree.files(under: "Sources") + SourceTree.files(under: "Tests") {
            guard file.text.contains("Mutex"), !file.path.hasPrefix("Tests/ArchitectureTests/") else { continue }
            for (index, line) in file.code.enumerated() {
                #expect(!line.contains(other), "\(file.path):\(index + 1): use XMPPTransport's Locked")
            }
        }
    }

    @Test("main.swift of the program is three lines")
    func main() throws {
        let main = try #require(
            try SourceTree.files(under: "Sources/doorward").first { $0.path.hasSuffix("main.swift") }
        )
        #expect(main.lines.count <= 4)
    }
}
