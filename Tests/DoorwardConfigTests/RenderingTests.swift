import DoorwardConfig
import Testing

@Suite struct RenderingTests {
    @Test("a fault is one line, the source line and a caret")
    func lines() {
        let fault = Fault(
            path: "policies/community.yaml",
            line: 14,
            column: 13,
            code: "DW012",
            message: "unknown condition 'form'",
            suggestion: "from",
            source: "    when: { form: \"@staff\" }"
        )
        #expect(
            fault.rendered() == """
                policies/community.yaml:14:13: error[DW012]: unknown condition 'form'; did you mean 'from'?
                        when: { form: "@staff" }
                                ^
                """
        )
    }

    @Test("without a source line it is one line")
    func oneLine() {
        let fault = Fault(path: "a.yaml", line: 0, column: 0, severity: .warning, code: "DW062", message: "nothing")
        #expect(fault.rendered() == "a.yaml:0:0: warning[DW062]: nothing")
    }

    @Test("nothing of a file can drive the terminal")
    func controls() {
        let fault = Fault(
            path: "a",
            line: 1,
            column: 3,
            code: "DW001",
            message: "x\u{1B}[2J\ny",
            source: "\t\u{1B}]0;x\u{7}\u{202E}z"
        )
        #expect(
            fault.rendered()
                == "a:1:3: error[DW001]: x\\u{1B}[2J\\u{A}y\n    \\t\\u{1B}]0;x\\u{7}\\u{202E}z\n            ^"
        )
    }

    @Test("a long line is cut around the place")
    func longLine() {
        let fault = Fault(
            path: "a",
            line: 1,
            column: 501,
            code: "DW001",
            message: "m",
            source: String(repeating: "x", count: 500) + "HERE" + String(repeating: "y", count: 500)
        )
        let lines = fault.rendered().split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.count < 130 })
        let column = lines[2].count - 1
        #expect(lines[1].dropFirst(column).hasPrefix("HERE"))
    }

    @Test("a column behind the line's end does not trap")
    func behind() {
        #expect(
            Fault(path: "a", line: 1, column: 99, code: "DW001", message: "m", source: "x").rendered().hasSuffix(
                "\n    x\n     ^"
            )
        )
    }

    @Test("every kind of fault has its own code, a title and an explanation")
    func catalogue() {
        let all = FaultCatalogue.all
        #expect(Set(all.map(\.code)).count == all.count)
        for kind in all {
            #expect(kind.code.wholeMatch(of: /DW[0-9]{3}/) != nil)
            #expect(!kind.title.isEmpty && kind.title.count < 60)
            #expect(kind.explanation.hasSuffix(".") || kind.explanation.hasSuffix("600"), "\(kind.code)")
        }
    }
}
