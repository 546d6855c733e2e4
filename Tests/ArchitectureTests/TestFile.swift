/// What the tests of a file are called: their names, and those of their cases where these say so themselves.
struct TestFile {
    let path: String
    let names: [String]

    /// - Parameters:
    ///   - file: A source with tests.
    ///   - rows: The types of cases that say what they are called.
    init(_ file: SourceTree.File, rows: Set<String>) {
        path = file.path
        let code = file.code.joined(separator: "\n")
        // From each attribute to its function.
        let attributes = code.matches(of: /@Test\b[\s\S]*?\bfunc\b/).map { code[$0.range] }
        let tests = attributes.filter { !$0.contains(".disabled") }
        var names = tests.flatMap(Self.literals)
        if tests.contains(where: { $0.contains("arguments:") }) {
            for match in code.matches(of: /\b([A-Z][A-Za-z]*)\(\s*"/) where rows.contains(String(match.output.1)) {
                names += Self.literals(code[match.range.lowerBound...].prefix(400)).prefix(1)
            }
        }
        self.names = names
    }

    /// The tests below a folder, whose cases are described by types of any file.
    static func all(under folder: String) throws -> [TestFile] {
        // That one has examples of what names are.
        let files = try SourceTree.files(under: "Tests").filter { !$0.path.hasSuffix("/SecurityPageTests.swift") }
        let pattern = /(?:struct|enum) ([A-Za-z]+):[^{]*\bCustomTestStringConvertible\b/
        let rows = files.filter { $0.text.contains("CustomTestStringConvertible") }.flatMap { file in
            file.text.matches(of: pattern).map { String($0.output.1) }
        }
        return files.filter { $0.path.hasPrefix(folder) }.map { TestFile($0, rows: Set(rows)) }
    }

    private static func literals(_ code: Substring) -> [String] {
        code.matches(of: /"""\n([\s\S]*?)\n\s*"""|"((?:[^"\\\n]|\\.)*)"/).map { match in
            let text = match.output.1 ?? match.output.2 ?? ""
            return String(text.replacing(/\\\n\s*/, with: ""))
        }
    }
}
