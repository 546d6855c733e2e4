import Testing
import XMPPCore

/// A stanza that does not end, as a server could send it: what is kept of it is counted while it comes (B038, C3).
@Suite("Stanzas of 50 MB")
struct HugeStanzaTests {
    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var begin: String
        var unit: String
        var verdict: Verdict

        init(_ what: String, _ begin: String, _ unit: String, _ verdict: Verdict) {
            (testDescription, self.begin, self.unit, self.verdict) = (what, begin, unit, verdict)
        }
    }

    enum Verdict {
        /// It ends the stream when what its sender wrote is more than a server takes from a stranger.
        case ends
        /// It is lengthened by a server perhaps: it is skipped up to 64 times that.
        case endsLate
        /// libxml2 is not asked, and nothing is waited for.
        case fails(StreamError.Condition)
    }

    private static let namespace = String(repeating: "n", count: 300)

    static let rows = [
        Row("text", "<message><body>", "x", .ends),
        Row("text of two bytes a character", "<message><body>", "\u{E9}", .ends),
        Row("text in references", "<message><body>", "&amp;&#60;", .ends),
        Row("a section", "<message><![CDATA[", "x", .ends), Row("sections", "<message>", "<![CDATA[x]]>", .ends),
        Row("brackets of a section", "<message><![CDATA[", "]", .ends),
        Row("elements", "<message>", "<b/>", .ends), Row("levels", "<message>", "<b>", .ends),
        Row("elements with text", "<message>", "<b>x</b>", .ends),
        Row("a value", "<message><b a='", "x", .ends), Row("a value of its own tag", "<message a='", "x", .ends),
        Row("a namespace", "<message><b xmlns='", "x", .endsLate),
        Row("its own namespace", "<message xmlns='", "x", .ends),
        Row("attributes", "<message><b", " a=''", .ends), Row("its own attributes", "<message", " a=''", .ends),
        Row("declarations", "<message><b", " xmlns:p='u:'", .ends),
        Row("its own declarations", "<message", " xmlns:p='u:'", .ends),
        Row("a name", "<message><", "n", .ends), Row("its own name", "<", "n", .fails(.policyViolation)),
        Row("an attribute's name", "<message><b ", "n", .ends), Row("one of its own", "<message ", "n", .ends),
        Row("space in a tag", "<message><b ", " ", .ends), Row("space in its own", "<message ", " ", .ends),
        Row("a namespace again and again", "<message>", "<b xmlns='u:\(namespace)'/>", .endsLate),
        Row("a reference", "<message>&", "a", .fails(.restrictedXML)),
        Row("a comment", "<message><!--", "x", .fails(.restrictedXML)),
        // It is known by its end.
        Row("an instruction", "<message><?x ", "x", .endsLate),
        Row("a DTD", "<!DOCTYPE x [", "<!ENTITY a 'a'>", .fails(.restrictedXML)),
    ]

    /// A part of the usual, but in a full run.
    private static let limits =
        TestCounts.isAll ? XMLLimits.normal : XMLLimits(stanzaBytes: 16_384, discardedBytes: 32_768)
    private static let bytes = TestCounts.isAll ? 52_428_800 : 1_638_400

    private static let header =
        Array("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>".utf8)

    @Test("end the stream before that, and meanwhile no more is kept than a stanza may have", arguments: rows)
    func isBounded(row: Row) {
        for chunk in [1460, 65_536] {
            let parser = XMLStreamParser(limits: Self.limits)
            _ = parser.feed(Self.header)
            var events = parser.feed(Array(row.begin.utf8))
            let next = Array(String(repeating: row.unit, count: chunk / row.unit.utf8.count).utf8)
            var (fed, largest) = (0, 0)
            while fed < Self.bytes, events.isEmpty {
                events += parser.feed(next)
                fed += next.count
                largest = max(largest, parser.heldBytes)
            }
            // A reading more than the limit. Of the stanza's own tag the attributes that identify it are waited for.
            let isOwnTag = !row.begin.contains(">")
            #expect(largest <= (isOwnTag ? 1_048_576 : Self.limits.stanzaBytes) + 65_536)
            switch row.verdict {
            case .ends: #expect(events == [.failed(StreamError(.policyViolation))])
            case .fails(let condition): #expect(events == [.failed(StreamError(condition))])
            case .endsLate:
                #expect(events.isEmpty)
                #expect(parser.heldBytes == 0)
                while fed < 64 * Self.limits.discardedBytes + 2 * chunk, events.isEmpty {
                    events += parser.feed(next)
                    fed += next.count
                }
                #expect(events == [.failed(StreamError(.policyViolation))])
            }
            #expect(parser.feed(next).isEmpty)
        }
    }
}
