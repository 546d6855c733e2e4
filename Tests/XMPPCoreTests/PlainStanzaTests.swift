import Testing

@testable import XMPPCore

/// Both ways must tell the same: a stream that is read whole goes the short way where it is plain, and one in pieces of
/// three bytes, none of which is a whole stanza, the long way.
@Suite("Plain stanzas")
struct PlainStanzaTests {
    private static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"

    /// What a reader has said and what it knows.
    private struct Outcome: Equatable {
        var events: [XMLStreamEvent] = []
        var unconsumed = 0
        var isInside = false
        var discarded = 0

        /// Where there are two faults, the pieces decide which is seen first.
        var isFailed: Bool {
            if case .failed? = events.last { true } else { false }
        }
    }

    private func read(_ bytes: [UInt8], by size: Int, _ limits: XMLLimits, header: String = Self.header) -> Outcome {
        let parser = XMLStreamParser(limits: limits)
        var outcome = Outcome(events: parser.feed(Array(header.utf8)))
        for start in stride(from: 0, to: bytes.count, by: size) {
            outcome.events += parser.feed(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        outcome.unconsumed = parser.unconsumedBytes
        outcome.isInside = parser.isInsideStanza
        outcome.discarded = parser.discardedStanzas
        return outcome
    }

    private func compare(_ bytes: [UInt8], _ limits: XMLLimits = .normal, header: String = Self.header) {
        var (short, long) = (
            read(bytes, by: max(1, bytes.count), limits, header: header), read(bytes, by: 3, limits, header: header)
        )
        if short.isFailed, long.isFailed {
            // How far each came is of no interest any more.
            short = Outcome(events: Array(short.events.dropLast()))
            long = Outcome(events: Array(long.events.dropLast()))
        }
        #expect(short == long, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }

    private func isTaken(_ text: String, _ limits: XMLLimits = .normal) -> Bool { isTaken(Array(text.utf8), limits) }

    private func isTaken(_ bytes: [UInt8], _ limits: XMLLimits = .normal) -> Bool {
        var events: [XMLStreamEvent] = []
        let (count, end) = PlainStanza.readAll(
            bytes[...], inside: "jabber:client", limits, PlainNamespaces(), into: &events)
        #expect((end != nil) == !events.isEmpty)
        return end == bytes.count && count == bytes.count && events.count == 1
    }

    static let plain = [
        "<a/>", "<a />", "<a></a>", "<a  b='1'  />", "<a b=\"1'\" c='\"' ></a>", "<_.-x _='' A-1.='>'/>", "<a>x</a>",
        "<a b='&lt;&gt;&amp;&apos;&quot;&amp;lt;'>&lt;&gt;&amp;&apos;&quot;&amp;#65;</a>", "<a>\t\n x > y</a>",
        "<a>t<b/>u<b>v</b></a>", "<a xml:lang='de'/>", "<a xmlns='urn:a'><b/><c xmlns='urn:c'><d/></c><e/></a>",
        "<a b='\u{E9}'>\u{E9}\u{20AC}\u{1F600}\u{FFFD}\u{85} \u{10FFFF}</a>", "<a>\u{7F}</a>",
        "<a xmlns='http://jabber.org/protocol/disco#info'/>", "<a xmlns='jabber:iq:roster'/>", "<xml/>", "<xmlns/>",
        "<presence from='contact123@b.test' to='bot17@a.test' type='subscribe' id='s-4711'><status>Hello, it is me "
            + "&amp; my dog</status><nick xmlns='http://jabber.org/protocol/nick'>Ann</nick></presence>",
        "<iq type='result' id='1'><query xmlns='jabber:iq:roster' ver='7'><item jid='a@b.test'/></query></iq>",
    ]

    static let others = [
        "<p:a xmlns:p='urn:p'/>", "<stream:features/>", "<a xmlns:p='urn:p'/>", "<a p:b='1' xmlns:p='urn:p'/>",
        "<a lang='de' xml:lang='de'/>", "<a xml:space='preserve'/>", "<a b='1' b='2'/>", "<a b = '1'/>", "<a\tb='1'/>",
        "<a b='1'c='2'/>", "<a b='x\ty'/>", "<a b='x\ny'/>", "<a>\r\n</a>", "<a>]</a>", "<a>]]></a>",
        "<a><![CDATA[x]]></a>", "<a>&#65;</a>", "<a b='&#65;'/>", "<a>&b;</a>", "<a>&amp</a>", "<a>&</a>",
        "<a xmlns=''/>", "<a xmlns='urn:a' xmlns='urn:b'/>", "<a xmlns='a|b'/>", "<a xmlns='a'/>",
        "<a xmlns='urn:&amp;'/>",
        "<a xmlns='http://www.w3.org/XML/1998/namespace'/>", "<a xmlns='http://www.w3.org/2000/xmlns/'/>", "<\u{E9}/>",
        "<a \u{E9}='1'/>", "<a></a >", "<a></b>", "<a><b></a></b>", "<a/ >", "<1/>", "< a/>", "<a b/>", "<a b=1/>",
        "<a b='<'/>", "<!-- c -->", "<?pi x?>", "</a>", "</stream:stream>", "<a>\u{FFFE}</a>", "<a>\u{1}</a>",
        "<a b='\u{FFFF}'/>", "<a>\u{FFFE}", "<a", "<a ", "<a b", "<a b=", "<a b='", "<a b='1'", "<a/", "<a>", "<a>x",
        "<a>&am", "<a><", "<a></", "<a></a", "<a><b/>", "<", "x", "&lt;", "",
    ]

    @Test("what is plain is taken, and nothing comes of it but what libxml2 reads", arguments: plain)
    func taken(text: String) {
        #expect(isTaken(text))
        compare(Array(text.utf8))
        compare(Array("\(text) \(text)\r\n\(text)<x".utf8))
        compare(Array(text.utf8), header: "<s:stream xmlns:s='http://etherx.jabber.org/streams'>")
    }

    @Test("all else is declined, and its fate is that of the long way", arguments: others)
    func declined(text: String) {
        #expect(!isTaken(text))
        compare(Array(text.utf8))
        for stanza in Self.plain.prefix(6) {
            compare(Array("\(stanza)\(text)\(stanza) \(stanza)</stream:stream>".utf8))
        }
    }

    @Test("no byte that is not UTF-8 is taken", arguments: [[0xC1, 0xBF], [0xED, 0xA0, 0x80], [0xFF], [0xE2, 0x82]])
    func notUTF8(bytes: [UInt8]) {
        for (before, after) in [("<a>", "</a>"), ("<a b='", "'/>"), ("<a", "/>")] {
            let bytes = Array(before.utf8) + bytes + Array(after.utf8)
            #expect(!isTaken(bytes))
            compare(bytes)
        }
    }

    @Test("each limit is one for plain stanzas too: at it they are taken, over it they are declined")
    func limits() {
        let small = XMLLimits(depth: 3, stanzaBytes: 60, attributes: 2, nameBytes: 5, discardedBytes: 200)
        let long = String(repeating: "x", count: 53)
        for (at, over) in [
            ("<a><b><c/></b></a>", "<a><b><c><d/></c></b></a>"), ("<a>\(long)</a>", "<a>\(long)x</a>"),
            ("<a b='1' c='2'/>", "<a b='1' c='2' d='3'/>"),
            ("<a b='1' xmlns='urn:a'/>", "<a b='1' xmlns='urn:a' d='3'/>"),
            ("<abcde/>", "<abcdef/>"), ("<a abcde='1'/>", "<a abcdef='1'/>"),
        ] {
            #expect(isTaken(at, small))
            #expect(!isTaken(over, small))
            for limits in [small, XMLLimits(depth: 3, stanzaBytes: 60, attributes: 2, nameBytes: 5)] {
                compare(Array(at.utf8), limits)
                compare(Array("\(at)\(over)\(at)".utf8), limits)
            }
        }
        // Of its own accord it stops earlier than the limits.
        let deep = String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17)
        #expect(!isTaken(deep))
        compare(Array(deep.utf8))
    }

    @Test("behind a stanza that is not plain the next one is, in the same read and in the next")
    func returning() {
        let parser = XMLStreamParser(limits: .normal)
        #expect(parser.feed(Array((Self.header + "<x:a xmlns:x='urn:x'><b>&#65;</b></x:a>").utf8)).count == 2)
        let names = parser.nameTableSize
        let news = (0..<9).map { "<n\($0) m\($0)='1'/>" }.joined()
        #expect(parser.feed(Array("<x:a xmlns:x='urn:x'><b>&#65;</b></x:a>\(news)<x:a xmlns:x='".utf8)).count == 10)
        #expect(parser.feed(Array("urn:x'/>\(news)<x:a xmlns:x='urn:x'/>".utf8)).count == 11)
        #expect(parser.nameTableSize == names, "libxml2 has seen the names of plain stanzas")
    }

    @Test("white space that is written as references between two stanzas is in none of them")
    func references() {
        for text in ["&#10;", "&#10;\t\n", " &#x20; "] {
            for size in 1...12 {
                let outcome = read(Array(text.utf8), by: size, .normal)
                #expect(!outcome.isInside)
                #expect(outcome.unconsumed == text.utf8.count)
            }
            compare(Array("<a/>\(text)<b/>\(text)".utf8))
        }
    }

    @Test("where the reads are cut changes nothing")
    func cuts() {
        let bytes = Array((Self.plain + ["<p:a xmlns:p='urn:p'>x</p:a>"] + Self.plain).joined(separator: " \n").utf8)
        let whole = read(bytes, by: bytes.count, .normal)
        #expect(whole.events.count == 2 * Self.plain.count + 2)
        for size in 1...200 { #expect(read(bytes, by: size, .normal) == whole, "reads of \(size)") }
    }

    @Test("stanzas of every form, and those an edit away from one, are read alike on both ways")
    func generated() {
        var random = SplitMix(seed: 12)
        for round in 0..<12_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) { bytes += Array(Self.stanza(3, &random).utf8) }
            if round % 4 == 0 { #expect(isTaken(Self.stanza(3, &random))) }
            for _ in 0..<(round % 4 == 0 ? 0 : Int.random(in: 1...2, using: &random)) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                let byte = Array("<>/'\"=&;:]![?# \t\r\nax\u{E9}\u{0}\u{7F}".utf8).randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes.remove(at: at)
                case 1: bytes[at] = byte
                case 2: bytes.insert(byte, at: at)
                case 3: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 8)], at: at)
                case _: bytes.removeSubrange(at...)
                }
                if bytes.isEmpty { break }
            }
            compare(bytes, round % 2 == 0 ? .normal : .beforeLogin)
        }
    }

    private static func stanza(_ depth: Int, _ random: inout SplitMix) -> String {
        let name = ["a", "b", "iq", "message", "x-1.y", "_"].randomElement(using: &random) ?? "a"
        var text = "<" + name
        for attribute in ["from", "to", "type", "id", "xmlns", "xml:lang"]
        where Int.random(in: 0..<3, using: &random) == 0 {
            let values = attribute == "xmlns" ? ["urn:a", "jabber:client", "http://a.test/b#c"] : words
            text += " \(attribute)='\(values.randomElement(using: &random) ?? "urn:a")'"
        }
        if Int.random(in: 0..<3, using: &random) == 0 { return text + "/>" }
        text += ">"
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            if depth == 0 || Bool.random(using: &random) {
                text += words.randomElement(using: &random) ?? ""
            } else {
                text += stanza(depth - 1, &random)
            }
        }
        return text + "</\(name)>"
    }

    private static let words = [
        "", "x", "a &lt; b &amp;&amp; c", "\u{43F}\u{440}\u{438}", "ann@a.test/b", " ", ">=", "=\"x\"",
    ]

    @Test("a namespace that is taken for a URI is one for libxml2 too")
    func namespaces() {
        var random = SplitMix(seed: 3986)
        var count = 0
        for _ in 0..<20_000 {
            let parts = ["a", "urn", ":", "/", "//", ".", "-", "_", "#", "1", "http://", "%", "@", "[", "?", " ", "X:"]
            let text = (0..<Int.random(in: 1...7, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            .joined()
            guard Array(text.utf8).withUnsafeBytes(PlainNamespaces.isURI) else { continue }
            count += 1
            let long = read(Array("<a xmlns='\(text)'/>".utf8), by: 3, .beforeLogin)
            #expect(long.events.last == .element(Element("a", namespace: text)), "\(text)")
        }
        #expect(count > 300)
    }

    @Test("the table of namespaces gives back each text that it was asked for, more than it has room for")
    func table() {
        let namespaces = PlainNamespaces()
        for _ in 0..<3 {
            for number in 0..<500 {
                let text = number % 7 == 0 ? "urn:" + String(repeating: "x", count: number) + "y" : "urn:x:\(number)"
                let found = Array(text.utf8).withUnsafeBytes { namespaces.text($0) }
                #expect(found == text)
            }
        }
        #expect([UInt8]().withUnsafeBytes { namespaces.text($0) } == nil)
    }
}
