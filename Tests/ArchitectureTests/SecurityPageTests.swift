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

    @Test("each row names a test that bears the number")
    func shown() throws {
        let rows = try rows()
        #expect(rows.count > 40)
        for row in rows {
            #expect(!row.files.isEmpty, "\(row.cve) names no test")
            for file in row.files {
                let text = try String(contentsOf: SourceTree.root.appending(path: "Tests/" + file), encoding: .utf8)
                #expect(text.contains(row.cve), "Tests/\(file) does not name \(row.cve)")
            }
        }
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
