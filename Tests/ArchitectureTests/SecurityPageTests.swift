import Foundation
import Testing

/// docs/security/cve.md says by which test each known fault of others is seen not to be here.
@Suite("The page of known faults")
struct SecurityPageTests {
    private struct Row {
        let cve: String
        let files: [String]
    }

    private static var number: Regex<Substring> { /CVE-[0-9]{4}-[0-9]+/ }

    /// The rows of the page's tables: the first cell has the numbers, the last the files of the tests.
    private func rows() throws -> [Row] {
        let page = try String(contentsOf: SourceTree.root.appending(path: "docs/security/cve.md"), encoding: .utf8)
        return page.split(separator: "\n").flatMap { line -> [Row] in
            let cells = line.split(separator: "|")
            guard line.hasPrefix("|"), let first = cells.first, let last = cells.last else { return [] }
            let files = last.matches(of: /[A-Za-z0-9]+Tests\/[A-Za-z0-9\/]+\.swift/).map { String($0.output) }
            return first.matches(of: Self.number).map { Row(cve: String($0.output), files: files) }
        }
    }

    @Test("each row names a test that bears the number, in its name or in that of one of its cases")
    func shown() throws {
        let rows = try rows()
        #expect(rows.count > 40)
        for row in rows { #expect(!row.files.isEmpty, "\(row.cve) names no test") }
        let pairs = rows.flatMap { row in row.files.map { (path: $0, cve: row.cve) } }
        for (path, pairs) in Dictionary(grouping: pairs, by: \.path) {
            let file = try #require(try TestFile.all(under: "Tests/" + path).first, "there is no Tests/\(path)")
            for (_, cve) in pairs {
                #expect(file.names.contains { $0.contains(cve) }, "no test of Tests/\(path) bears \(cve)")
            }
        }
    }

    @Test("the findings about XML and libxml2 are each borne by a test")
    func findings() throws {
        let names = try TestFile.all(under: "Tests/XMPPCoreTests/").flatMap(\.names)
        for label in ["C1", "C2", "C3", "C4", "F2", "F3"] {
            let word = try Regex("\\b\(label)\\b")
            #expect(names.contains { $0.contains(word) }, "\(label)")
        }
    }

    @Test("a number in a comment, a text or a test that is off is no test's")
    func bearing() {
        func names(_ text: String) -> [String] {
            TestFile(SourceTree.File(path: "a", text: text), rows: ["Row"]).names
        }
        #expect(names("// number\n@Test(\"x\")\nfunc x() {}") == ["x"])
        #expect(names("@Test(\"x\")\nfunc x() { print(\"number\") }") == ["x"])
        #expect(names("@Test(\"number\", .disabled())\nfunc x() {}").isEmpty)
        #expect(names("@Test(\n\"\"\"\na \\\nb\n\"\"\", arguments: [\"c\"])\nfunc x() {}") == ["a b", "c"])
        let rows = "let rows = [Row(\"number\", 1), Other(\"number\")]\n"
        #expect(names(rows).isEmpty)
        #expect(names(rows + "@Test(\"x\", arguments: rows)\nfunc x(row: Row) {}") == ["x", "number"])
    }

    @Test("each number that a test bears is on the page")
    func listed() throws {
        let listed = Set(try rows().map(\.cve))
        for file in try SourceTree.files(under: "Tests") {
            for match in file.text.matches(of: Self.number) {
                #expect(
                    listed.contains(String(match.output)),
                    "\(file.path): \(match.output) is not in docs/security/cve.md")
            }
        }
    }
}
