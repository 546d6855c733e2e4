import Testing

@Suite("Habits of the sources")
struct HabitTests {
    @Test("no source is longer than 250 lines, but for those that have been, which do not grow")
    func size() throws {
        var long = Set(LongFiles.lines.keys)
        for file in try SourceTree.files(under: "Sources") + SourceTree.files(under: "Tests") {
            let count = file.text.utf8.count { $0 == UInt8(ascii: "\n") }
            let most = LongFiles.lines[file.path] ?? LongFiles.usual
            #expect(count <= most, "\(file.path) has \(count) lines, \(most) are the most: split it")
            if count > LongFiles.usual { long.remove(file.path) }
        }
        #expect(long.isEmpty, "short enough now, so out of LongFiles with it: \(long.sorted())")
    }

    @Test(
        "no source can be made to trap by what it is given",
        arguments: [
            "fatal" + "Error(", "preconditionFailure(", "unsafelyUnwrapped", "unowned(unsafe)", "unsafeDowncast(",
        ]
    )
    func traps(word: String) throws {
        for file in try SourceTree.files(under: "Sources") where file.text.contains(word) {
            for (index, line) in SwiftCode(file.text).lines.enumerated() where line.contains(word) {
                Issue.record("\(file.path):\(index + 1) uses \(word)")
            }
        }
    }

    @Test("no source forces a value, a cast or a call: there is no type, cast, call or value with an exclamation mark")
    func forcing() throws {
        for file in try SourceTree.files(under: "Sources") {
            for line in SwiftCode(file.text).traps {
                Issue.record("\(file.path):\(line) has a ! that traps: \(file.lines[line - 1])")
            }
        }
    }

    @Test(
        "an exclamation mark that traps is told from others",
        arguments: [
            ("let a = b!", [1]), ("a![0]", [1]), ("\na()!.b", [2]), ("a[0]!", [1]), ("try! a()", [1]), ("a as! B", [1]),
            ("var a: B!", [1]), ("var a: [B]!", [1]), ("a { $0 }!", [1]), ("a!.b != c!", [1, 1]), ("a! = b", [1]),
            ("\"x\"!", [1]), ("\"\\(a!)\"", [1]), ("\"\\(f(\"\\(a!)\"))\"", [1]), ("#\"\\#(a!)\"#", [1]),
            ("`in`!", [1]),
            ("\"\"\"\n\\(a!)!\n\"\"\"\nb!", [2, 4]), ("a! // b!", [1]), ("A<B>!", [1]), ("a?.b!", [1]),
            ("\u{E9}!", [1]),
            ("a != b", []), ("a!=b", []), ("a !== b", []), ("!a", []), ("if !a, !b {", []), ("f(!a)", []), ("[!a]", []),
            ("{ !$0 }", []),
            ("a && !b", []), ("return !a", []), ("!(a || !b)", []), ("\"a!\"", []), ("\"\\\"a!\"", []),
            ("#\"\\(a!)\"#", []), ("// a!", []),
            ("/* a! /* b! */ c! */", []), ("/// a!\nb", []), ("\"// \" + \"a!\"", []),
            ("\"\"\"\na! \"b!\" \\\"\"\" c!\n\"\"\"", []),
            ("UInt8(ascii: \"!\")", []), ("\"\\(!a)!\"", []), ("a.map(!)", []), ("x = a ? !b : !c", []),
        ] as [(String, [Int])]
    )
    func marks(code: String, lines: [Int]) {
        #expect(SwiftCode(code).traps == lines)
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
