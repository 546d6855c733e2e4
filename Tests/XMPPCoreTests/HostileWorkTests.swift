import Testing
import XMPPCore

/// What reading a hostile stanza costs, by what is counted and not by time (B038; docs/design/013-over-the-limits.md).
@Suite("The work of hostile stanzas")
struct HostileWorkTests {
    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var verdict: Verdict

        init(_ what: String, _ verdict: Verdict, _ text: String) {
            (testDescription, self.text, self.verdict) = (what, text, verdict)
        }
    }

    enum Verdict: Equatable { case taken, skipped, ends }

    /// An eighth of the usual ones, so that a row takes an eighth of the time.
    private static let limits = XMLLimits(stanzaBytes: 32_768, discardedBytes: 131_072)
    private static let tag = "<presence type='subscribe' from='a@a.test'>"
    private static let end = "</presence>"

    private static func fill(_ unit: String, _ bytes: Int) -> String {
        String(repeating: unit, count: bytes / unit.utf8.count)
    }
    private static func many(_ count: Int, _ one: (Int) -> String) -> String { (0..<count).map(one).joined() }
    private static func declarations(_ count: Int, _ salt: Int = 0) -> String {
        many(count) { " xmlns:p\(salt)x\($0)='u:'" }
    }
    private static func inside(_ payload: String) -> String { tag + payload + end }
    private static func around(_ payload: String, levels: Int, _ attributes: (Int) -> String) -> String {
        inside(many(levels) { "<a\(attributes($0))>" } + payload + String(repeating: "</a>", count: levels))
    }
    private static func nested(_ counts: [Int]) -> String {
        many(counts.count) { "<c\(declarations(counts[$0], $0))>" } + String(repeating: "</c>", count: counts.count)
    }

    /// Namespaces in scope, which libxml2 looks through for each name.
    private static let namespaces: [Row] = [
        Row("128 namespaces in scope", .taken, around(fill("<b/>", 25_000), levels: 8) { declarations(16, $0) }),
        Row("129 of them", .skipped, inside(nested([43, 43, 43]))),
        Row("128 again and again", .taken, inside(many(10) { _ in nested([43, 43, 42]) })),
        Row(
            "14 levels of 63 declarations, then 5000 elements", .skipped,
            around(fill("<b/>", 20_000), levels: 14) { declarations(63, $0) }),
        Row(
            "4000 declarations in one tag, then elements", .skipped,
            around(fill("<b/>", 40_000), levels: 1) { declarations(4000, $0) }),
        Row(
            "4000 declarations in the stanza's own tag, then elements", .skipped,
            "<message\(declarations(4000)) from='a@a.test'>" + fill("<b/>", 40_000) + "</message>"),
        Row(
            "6000 levels that declare the same", .skipped,
            inside(fill("<a xmlns:p='u:'>", 96_000) + fill("<b/>", 25_000) + fill("</a>", 24_000))),
        Row(
            "defaults, level by level", .skipped,
            inside(many(62) { "<a xmlns='u:\($0)'>" } + fill("<b/>", 60_000) + fill("</a>", 62 * 4))),
        Row("declarations again and again, of the same", .ends, inside(many(10) { _ in "<b\(declarations(2000))/>" })),
        Row(
            "a declaration with each attribute", .skipped,
            inside(fill("<b\(many(30) { " xmlns:q\($0)='u:' q\($0):a\($0)=''" })/>", 131_072))),
    ]

    /// Attributes, each of which libxml2 compares with those before it.
    private static let attributes: [Row] = [
        Row("64 attributes in each tag", .taken, inside(fill("<b\(many(64) { " a\($0)=''" })/>", 32_000))),
        Row("4096 attributes in each tag", .skipped, inside(fill("<b\(many(4096) { " a\($0)=''" })/>", 120_000))),
        Row(
            "as many with a prefix", .skipped,
            inside(fill("<b xmlns:p='u:'\(many(4096) { " p:a\($0)=''" })/>", 130_000))),
        Row("as many in the own tag", .skipped, "<message\(many(9000) { " a\($0)=''" }) from='a@a.test'/>"),
    ]

    /// Names, of which libxml2 finds each among those with the same place in its table; with the usual limits.
    private static let names: [Row] = [
        Row("35,000 names of elements", .skipped, inside(many(35_000) { "<n\($0)/>" })),
        Row(
            "as many of attributes", .skipped,
            inside(many(600) { tag in "<b\(many(60) { " n\(tag * 60 + $0)=''" })/>" })),
        Row("as many of namespaces", .skipped, inside(many(35_000) { "<b xmlns='u:\($0)'/>" })),
        Row("as many of prefixes", .skipped, inside(many(35_000) { "<b xmlns:p\($0)='u:'/>" })),
    ]

    /// Levels, and what else is long.
    private static let others: [Row] = [
        Row("20,000 levels", .skipped, inside(fill("<a>", 60_000) + fill("</a>", 80_000))),
        Row("text in pieces", .taken, inside("<s>" + fill("&lt;", 32_000) + "</s>")),
        Row("text in a hundred thousand pieces", .skipped, inside("<s>" + fill("&lt;", 400_000) + "</s>")),
        Row("a value in pieces", .taken, inside("<s a='" + fill("&#60;", 32_000) + "'/>")),
        Row("sections", .taken, inside("<s>" + fill("<![CDATA[x]]>", 32_000) + "</s>")),
        Row("sections by the thousand", .skipped, inside("<s>" + fill("<![CDATA[x]]>", 131_072) + "</s>")),
        Row("a value full of ends of tags", .taken, inside("<s a='" + fill(">", 32_000) + "'/>")),
        Row("namespaces that are none", .skipped, inside(fill("<b xmlns='|'/>", 131_072))),
        Row("elements by the thousand", .skipped, inside(fill("<b/>", 131_072))),
    ]

    static let rows: [Row] = [namespaces, attributes, others].flatMap { $0 }
    static let nameRows: [Row] = names

    private static let header =
        Array("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>".utf8)

    private struct Outcome {
        var events: [XMLStreamEvent] = []
        var comparisons = 0
    }

    private func run(_ text: String, _ limits: XMLLimits, chunk: Int) -> Outcome {
        let parser = XMLStreamParser(limits: limits)
        _ = parser.feed(Self.header)
        let bytes = Array((text + "<z/>").utf8)
        var outcome = Outcome()
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            outcome.events += parser.feed(Array(bytes[start..<min(start + chunk, bytes.count)]))
        }
        outcome.comparisons = parser.comparisons
        return outcome
    }

    private func check(_ row: Row, _ limits: XMLLimits, chunks: [Int]) {
        let whole = run(row.text, limits, chunk: 1_000_000)
        // At most 130 namespaces for each of the smallest elements, `<b/>`, and nothing behind the end of patience.
        let bound = 35 * min(row.text.utf8.count, limits.stanzaBytes + 32_768)
        #expect(whole.comparisons <= bound)
        let next = XMLStreamEvent.element(Element("z", namespace: Namespace.client))
        switch row.verdict {
        case .taken:
            #expect(whole.events.count == 2)
            guard case .element = whole.events.first else { return #expect(Bool(false)) }
            #expect(whole.events.last == next)
        case .skipped:
            #expect(whole.events.count == 2)
            guard case .discarded(let element) = whole.events.first else { return #expect(Bool(false)) }
            #expect(element[attribute: "from"] == "a@a.test")
            #expect(whole.events.last == next)
        case .ends:
            #expect(whole.events == [.failed(StreamError(.policyViolation))])
        }
        for chunk in chunks {
            let pieces = run(row.text, limits, chunk: chunk)
            #expect(pieces.events == whole.events, "in chunks of \(chunk)")
            #expect(pieces.comparisons <= bound, "in chunks of \(chunk)")
        }
    }

    @Test("each costs what its bytes cost, and has the same end wherever reads cut it (B038)", arguments: rows)
    func isBounded(row: Row) {
        check(row, Self.limits, chunks: row.text.utf8.count < 100_000 ? [1, 1460] : [1460, 65_536])
    }

    @Test("names are no dearer the more of them there are (F2)", arguments: nameRows)
    func manyNames(row: Row) {
        check(row, .normal, chunks: [])
    }
}
