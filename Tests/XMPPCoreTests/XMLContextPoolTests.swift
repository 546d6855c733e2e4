import Testing
import XMPPCore

@Suite("Contexts that streams share")
struct XMLContextPoolTests {
    private static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='%' version='1.0'>"

    private let pool = XMLContextPool()

    private func stream(_ number: Int, limits: XMLLimits = .normal, header: String = Self.header) -> XMLStreamParser {
        let parser = XMLStreamParser(limits: limits, pool: pool)
        let text = header.split(separator: "%").joined(separator: "\(number)")
        #expect(parser.feed(Array(text.utf8)).count == 1)
        return parser
    }

    private func elements(_ parser: XMLStreamParser, _ text: String) -> [Element] {
        parser.feed(Array(text.utf8)).compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    @Test("stanzas of many streams, cut anywhere and by turns, are each stream's own")
    func turns() {
        let stanza =
            "<message from='%@a.test'><body>%, &amp; more</body><x xmlns='urn:x%' a%='1'/></message> <iq id='%'/>"
        let streams = (0..<6).map { stream($0) }
        let texts = (0..<6).map { number in Array(stanza.split(separator: "%").joined(separator: "\(number)").utf8) }
        var seen: [[XMLStreamEvent]] = Array(repeating: [], count: 6)
        var random = SplitMix(seed: 7)
        var rest = texts.map { $0[...] }
        while rest.contains(where: { !$0.isEmpty }) {
            let number = Int.random(in: 0..<6, using: &random)
            let piece = rest[number].prefix(Int.random(in: 1...9, using: &random))
            rest[number] = rest[number].dropFirst(piece.count)
            seen[number] += streams[number].feed(Array(piece))
        }
        for number in 0..<6 {
            let alone = XMLStreamParser(limits: .normal)
            _ = alone.feed(Array(Self.header.utf8))
            #expect(seen[number] == alone.feed(texts[number]))
            #expect(seen[number].count == 2)
        }
    }

    @Test("what one stream declares within a stanza, or at its header, no other stream knows")
    func namespaces() {
        let (first, second) = (stream(1), stream(2))
        #expect(elements(first, "<p:a xmlns:p='urn:p'/>").first?.namespace == "urn:p")
        guard case .failed(let error) = second.feed(Array("<p:a/>".utf8)).first else {
            Issue.record("a prefix of another stream was taken")
            return
        }
        #expect(error.condition == .notWellFormed)
        let other = stream(
            3,
            header: "<s:stream xmlns='urn:other' xmlns:s='http://etherx.jabber.org/streams' xmlns:q='urn:q' id='%'>")
        #expect(elements(other, "<q:a/><b/>").map(\.namespace) == ["urn:q", "urn:other"])
        #expect(elements(first, "<b/>").map(\.namespace) == ["jabber:client"])
        guard case .failed = first.feed(Array("<q:a/>".utf8)).first else {
            Issue.record("a prefix of another header was taken")
            return
        }
    }

    @Test("a stream that fails, is over a limit, or closes leaves nothing to the others")
    func faults() {
        for fault in [
            "<message><body>", "<message></iq>", "<!-- no -->", "&unknown;", "</stream:stream>",
            "<message>" + String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100) + "</message>",
            "<message a='1' a='2'/>",
        ] {
            let (faulty, sound) = (stream(1), stream(2))
            _ = faulty.feed(Array(fault.utf8))
            #expect(elements(sound, "<iq id='1'/>").map(\.name) == ["iq"], "after \(fault)")
            #expect(elements(stream(3), "<iq id='1'/>").map(\.name) == ["iq"], "after \(fault)")
        }
    }

    @Test("white space between stanzas is counted as before, in pieces too")
    func whiteSpace() {
        let parser = stream(1)
        for _ in 0..<3 { #expect(parser.feed(Array(" \n".utf8)).isEmpty) }
        #expect(!parser.isInsideStanza)
        #expect(parser.unconsumedBytes == 6)
        #expect(elements(parser, " <a/> ").count == 1)
        #expect(!parser.isInsideStanza)
        #expect(parser.unconsumedBytes == 1)
        #expect(elements(parser, "\r\n<b/>\n<c/>\n").map(\.name) == ["b", "c"])
        #expect(!parser.isInsideStanza)
        #expect(parser.feed(Array("x<d/>".utf8)).count == 1, "text between stanzas ends the stream")
    }

    @Test("names without end are forgotten with the context that keeps them, whoever sends them")
    func names() {
        let streams = (0..<4).map { stream($0) }
        var largest = 0
        for round in 0..<6000 {
            let parser = streams[round % 4]
            #expect(elements(parser, "<p:n\(round) xmlns:p='urn:\(round)'/>").count == 1)
            largest = max(largest, parser.nameTableSize)
        }
        #expect(largest < 5000)
    }
}

@Suite("Texts are the same byte for byte")
struct SameBytesTests {
    @Test(
        "never by canonical equivalence, at any length",
        arguments: [
            ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "aa", false), ("12345678", "12345678", true),
            ("12345678", "12345679", false), ("123456789", "12345678x", false),
            ("0123456789abcdef0", "0123456789abcdef0", true),
            ("0123456789abcdef0", "0123456789abcdef1", false), ("\u{E9}", "e\u{301}", false),
            ("\u{212B}", "A\u{30A}", false), ("\u{212A}", "K", false), ("\u{E9}", "\u{E9}", true),
        ]
    )
    func table(left: String, right: String, same: Bool) {
        #expect(sameBytes(left, right) == same)
        #expect(sameBytes(right, left) == same)
    }
}
