import DoorwardConfig
import Foundation
import Testing

@Suite struct YAMLTests {
    private static let tail = "subscription: [ { rule: r, then: ask } ]\n"

    @Test(
        "text that is no plain YAML is refused at its place",
        arguments: [
            // B075: tabs, indentation, documents.
            "version: 1\npolicy: p\nsubscription:\n⟦DW008⟧\t- rule: r\n",
            "version: 1\npolicy: p\nsubscription:\n  - rule: r\n  ⟦DW008⟧\tthen: ask\n",
            "version: 1\npolicy: p\nsubscription:\n   - rule: r\n     then: ask\n  ⟦DW007⟧- rule: s\n",
            "version: 1\npolicy: p\n" + tail + "⟦DW006⟧---\nversion: 1\n",
            // B076: unquoted values.
            when("{ from: ⟦DW009⟧@staff }"), when("{ from: [a@x.test, ⟦DW009⟧@staff] }"),
            when("{ from: ⟦DW009⟧*@x.test }"), when("{ domain: ⟦DW009⟧*.x.test }"),
            when("{ from: ⟦DW011⟧*staff }"), when("{ from: ⟦DW014⟧!x@x.test }"), when("{ from: ⟦DW009⟧`x }"),
            when("{ from: ⟦DW009⟧%x }"),
            "version: 1\npolicy: p\nlists:\n  l:\n    - {user}⟦DW009⟧@example.org\n",
            "version: 1\npolicy: p\nlists:\n  l:\n    - room@x.test: ⟦DW009⟧@x\n",
            "version: 1\npolicy: a: b⟦DW009⟧: c\n".replacingColon,
            // B071: duplicate keys, quoted and plain.
            "version: 1\npolicy: p\n⟦DW016⟧\"policy\": q\n" + tail,
            rules("  - rule: r\n    then: ask\n    ⟦DW016⟧then: reject\n"),
            // B073: merge keys; quoted it is an unknown key.
            rules("  - ⟦DW015⟧<<: x\n    rule: r\n    then: ask\n"),
            rules("  - ⟦DW020⟧\"<<\": x\n    rule: r\n    then: ask\n"),
            // B072: aliases.
            "version: 1\npolicy: p\nlists: { l: &l [⟦DW013⟧*l] }\n⟦DW020⟧x: *l\n" + use, when("{ from: ⟦DW011⟧*nope }"),
            // Others.
            "version: 1\npolicy: ⟦DW004⟧\"a\\0b\"\n" + tail, "version: 1\npolicy: ⟦DW014⟧!!str p\n" + tail,
            "⟦DW018⟧%YAML 1.1\n---\nversion: 1\npolicy: p\n" + tail,
            "version: 1\npolicy: p\n? ⟦DW017⟧[a]\n: b\n" + tail, "version: 1\npolicy: ⟦DW007⟧\"p\n" + tail,
            "version: 1\npolicy: p\n⟦DW007⟧nothing\n" + tail,
        ]
    )
    func refused(text: String) throws {
        try checkPolicy(text)
    }

    @Test(
        "what was being read where a fault ended the reading has no other faults",
        arguments: [
            // The place is where what is open begins.
            rules("  - rule: r\n    when: ⟦DW007⟧{ from: a@x.test\n    then: ask\n  - rule: s\n    then: reject\n"),
            rules("  - rule: r\n    when: { from: ⟦DW007⟧[a@x.test, b@x.test\n    then: ask\n"),
            rules(
                "  - rule: r\n    when: { from: ⟦DW007⟧\"a@x.test }\n    then: ask\n  - rule: \"s\"\n    then: ask\n"),
            rules("  - rule: ⟦DW007⟧\"r\n    then: ask\n  - rule: \"s\"\n    then: ask\n"),
            rules("  - rule: ⟦DW007⟧'r\n    then: ask\n"),
            // Nothing has "no value", is missing or is never tried.
            rules("  - rule: r\n    when:\n   ⟦DW007⟧from: a@x.test\n    then: ask\n"),
            rules("  - rule: a\n    then: ask\n  - rule: b\n    when:\n      from: ⟦DW004⟧\u{1}x\n"),
            rules("  - rule: a\n    then: ask\n  - rule: b\n    when:\n      from: ⟦DW009⟧@x\n"),
            rules("  - rule: a\n    then: ask\n  -\n    ⟦DW008⟧\trule: b\n"),
            rules("  - rule: a\n    when:\n      any:\n        - domain:\n⟦DW008⟧\tx\n"),
            rules("  - rule: a\n    then:\n      accept:\n        groups:\n          - ⟦DW009⟧@x\n"),
            "version: 1\npolicy: p\nsubscription:\n⟦DW009⟧@x\n", "version: 1\npolicy:\n⟦DW009⟧@x\n",
            "version: 1\npolicy: p\nlists:\n  l:\n    - ⟦DW009⟧@x\n", "version: 1\npolicy: p\nlists:\n  l: ⟦DW007⟧[a\n",
        ]
    )
    func followOn(text: String) throws {
        try checkPolicy(text)
    }

    @Test("bytes that are no text end the reading, and cause no other fault")
    func notText() throws {
        let policy = rules("  - rule: a\n    then: ask\n  - rule: b\n    when:\n      from:\n")
        let workspace = Workspace()
        try workspace.write("p.yaml", bytes: Array(policy.utf8) + [0x20, 0xFF, 0x0A])
        #expect(PolicyLoader.load(path: workspace.path("p.yaml")).faults.map(\.code) == ["DW003"])
        try workspace.write("p.yaml", "version: 1\npolicy: p\nlists: { l: { file: l.txt } }\n" + YAMLTests.use)
        try workspace.write("l.txt", bytes: [0xFF, 0x0A])
        #expect(PolicyLoader.load(path: workspace.path("p.yaml")).faults.map(\.code) == ["DW003"])
    }

    private static let use = "subscription: [ { rule: r, when: { from: \"@l\" }, then: ask } ]\n"

    @Test(
        "a fault of quoting names the character and the mend",
        arguments: [
            ("{ from: @staff }", "@"), ("{ from: *@x.test }", "*"), ("{ from: *staff@x.test }", "*"),
            ("{ from: !x@x.test }", "!"), ("{ from: %x }", "%"), ("{ from: *nope }", "*"),
        ]
    )
    func quoting(text: String, character: String) throws {
        let workspace = Workspace()
        try workspace.write("p.yaml", when(text))
        let fault = try #require(PolicyLoader.load(path: workspace.path("p.yaml")).faults.first)
        #expect(fault.message.contains("'\(character)'"))
        #expect(fault.message.contains("put the value in quotes"))
    }

    @Test("a bracket in front of a value is named", arguments: [("{user}@example.org", "{"), ("[::1]:5222", "[")])
    func brackets(text: String, bracket: String) throws {
        let workspace = Workspace()
        try workspace.write("p.yaml", "version: 1\npolicy: \(text)\n")
        let faults = PolicyLoader.load(path: workspace.path("p.yaml")).faults
        #expect(faults.count == 1)
        #expect(faults.first?.message.contains("'\(bracket)'") == true)
        #expect(faults.first?.message.contains("quotes") == true)
    }

    @Test("a tab is called a tab, and the line is shown")
    func tab() throws {
        let fault = try #require(try checkPolicy("version: 1\npolicy: p\nsubscription:\n⟦DW008⟧\t- rule: r\n").first)
        #expect(fault.message.contains("tab character"))
        #expect(fault.rendered().hasSuffix(": a tab character; indent with spaces\n    \\t- rule: r\n    ^"))
    }

    @Test("wrong indentation names where the block began")
    func block() throws {
        let fault = try #require(
            try checkPolicy("version: 1\npolicy: p\nlists:\n   a:\n     - a@x.test\n  ⟦DW007⟧b:\n     - b@x.test\n")
                .first
        )
        #expect(fault.message.contains("4:4"))
    }

    @Test("duplicate keys are told with both places")
    func duplicate() throws {
        let fault = try #require(
            try checkPolicy(rules("  - rule: r\n    then: ask\n    ⟦DW016⟧'then': reject\n")).first
        )
        #expect(fault.message == "duplicate key 'then' at 6:5, first at 5:5")
    }

    private static let plain = "version: 1\npolicy: p\nsubscription:\n  - rule: r\n    then: ask\n"

    @Test(
        "line ends, byte order mark and a missing final newline do not matter",
        arguments: [
            plain, plain.replacingOccurrences(of: "\n", with: "\r\n"), "\u{FEFF}" + plain, String(plain.dropLast()),
            "---\n" + plain + "...\n", "# c\n\n" + plain,
        ]
    )
    func harmless(text: String) throws {
        let workspace = Workspace()
        try workspace.write("p.yaml", bytes: Array(text.utf8))
        let (policy, faults) = PolicyLoader.load(path: workspace.path("p.yaml"))
        #expect(faults.isEmpty)
        #expect(policy != nil)
    }

    @Test("files that are no UTF-8 text are refused with words")
    func encodings() throws {
        var utf16: [UInt8] = [0xFF, 0xFE]
        for unit in YAMLTests.plain.utf16 { utf16 += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let rows: [([UInt8], String, String)] = [
            (utf16, "DW003", "UTF-16"), (Array(utf16.dropFirst(2)), "DW003", "UTF-16"), ([], "DW005", "empty"),
            (Array("# only a comment\n".utf8), "DW005", "empty"),
            (Array("version: 1\npolicy: \"a\u{0}b\"\n".utf8), "DW004", "U+0000"),
            (Array("version: 1\npolicy: p\n# ".utf8) + [0xC3, 0x28, 0x0A], "DW003", "byte 23"),
            (Array("version: 1\npolicy: \"\u{1B}[2J\"\n".utf8), "DW004", "U+001B"),
            (Array("version: 1\rpolicy: p\n".utf8), "DW004", "carriage return"),
            (Array("version: 1\npolicy: \"a\u{2028}\"\n".utf8), "DW004", "line separator"),
        ]
        for (bytes, code, words) in rows {
            let workspace = Workspace()
            try workspace.write("p.yaml", bytes: bytes)
            let faults = PolicyLoader.load(path: workspace.path("p.yaml")).faults
            #expect(faults.first?.code == code, "\(faults)")
            #expect(faults.first?.message.contains(words) == true, "\(faults)")
            #expect(faults.count == 1, "\(faults)")
        }
    }

    @Test("what stands before a fault of syntax is still checked")
    func before() throws {
        try checkPolicy(
            rules(
                "  - rule: r\n    when: { ⟦DW012⟧form: x }\n    then: ask\n  - rule: s\n    when: { from: ⟦DW009⟧@staff }\n"
            )
        )
        try checkPolicy("version: ⟦DW030⟧7\npolicy: p\nsubscription:\n  - rule: r\n    then: ⟦DW009⟧@x\n")
    }

    @Test("three anchors and five aliases load")
    func aliases() throws {
        try checkPolicy(
            """
            version: 1
            policy: p
            lists: { l: &l [&a a@x.test, &b b@x.test], m: *l }
            subscription:
              - { rule: r, when: { from: [*a, *b, "@l"] }, then: ask }
              - { rule: s, when: { from: [*a, *b, "@m"] }, then: ask }

            """
        )
    }

    /// A file of up to a megabyte, which a log shows by its name.
    struct HostileFile: CustomTestStringConvertible, Sendable {
        let name: String
        let text: String

        init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }

        var testDescription: String { name }
    }

    static let hostile: [HostileFile] = {
        let deep = 200_000
        let bomb =
            "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
            + (1..<9).map { level in
                let (name, before) = (
                    String(UnicodeScalar(UInt8(97 + level))), String(UnicodeScalar(UInt8(96 + level)))
                )
                return "\(name): &\(name) [" + Array(repeating: "*\(before)", count: 10).joined(separator: ",") + "]\n"
            }.joined()
        return [
            HostileFile("nested lists", String(repeating: "[", count: deep)),
            HostileFile("nested maps", String(repeating: "{a: ", count: deep)),
            HostileFile("nested blocks", String(repeating: "- ", count: deep)),
            HostileFile("alias bomb", bomb),
            HostileFile(
                "flat bomb",
                "a: &f [" + Array(repeating: "x", count: 1_000).joined(separator: ",") + "]\nr: ["
                    + Array(repeating: "*f", count: 5_000).joined(separator: ",") + "]\n"
            ),
            HostileFile("anchors", (0..<40_000).map { "- &a\($0) x\n" }.joined()),
            HostileFile("aliases", "- &a x\n" + String(repeating: "- *a\n", count: 100_000)),
            HostileFile("self", "a: &s [*s]\n"),
            HostileFile("many values", "[" + String(repeating: "x,", count: 500_000) + "]"),
            HostileFile("tags", String(repeating: "- !x y\n", count: 50_000)),
            HostileFile("open quote", "a: \"" + String(repeating: "x ", count: 500_000)),
            HostileFile("one key", String(repeating: "k", count: 1_000_000)),
            HostileFile("colons", String(repeating: ":", count: 1_000_000)),
            HostileFile("question marks", String(repeating: "? ", count: 400_000)),
            HostileFile("too large", String(repeating: "# comment\n", count: 200_000)),
            HostileFile("carriage returns", String(repeating: "\r", count: 900_000)),
            HostileFile("same keys", String(repeating: "a: 1\n", count: 200_000)),
            HostileFile("control characters", String(repeating: "\u{1}", count: 900_000)),
            HostileFile("documents", String(repeating: "--- a\n", count: 150_000)),
            HostileFile("braces", String(repeating: "{}", count: 400_000)),
            HostileFile("dashes", String(repeating: "-", count: 900_000)),
            HostileFile("bars", "a: |\n" + String(repeating: " x\n", count: 300_000)),
        ]
    }()

    // What libyaml does with such a file by itself takes minutes; a debug build on a busy machine takes seconds.
    @Test("a hostile file is refused at once", .timeLimit(.minutes(1)), arguments: hostile)
    func hostileFiles(file: HostileFile) throws {
        let workspace = Workspace()
        try workspace.write("p.yaml", bytes: Array(file.text.utf8))
        let faults = PolicyLoader.load(path: workspace.path("p.yaml")).faults
        #expect(faults.contains { $0.severity == .error })
        #expect(faults.count <= 102)
    }
}

extension String {
    /// `a: b: c` on one line: libyaml refuses the second colon.
    fileprivate var replacingColon: String { "version: 1\npolicy: a⟦DW009⟧: b\n" }
}
