import Testing
import XMPPCore

@Suite("Limits of a stream")
struct XMLLimitsTests {
    private static let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
    private static let small = XMLLimits(depth: 5, stanzaBytes: 1000, attributes: 4, nameBytes: 10, namespaces: 2)
    private static var smallDiscarding: XMLLimits {
        var limits = small
        limits.discardedBytes = 3000
        return limits
    }

    private struct Outcome: Equatable {
        var elements = 0
        var failure: StreamError.Condition?
        var discarded = 0
    }

    private func run(_ texts: [String], _ limits: XMLLimits, chunk: Int = 100) -> Outcome {
        let parser = XMLStreamParser(limits: limits)
        var outcome = Outcome()
        for text in [Self.header] + texts {
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                for event in parser.feed(Array(bytes[start..<min(start + chunk, bytes.count)])) {
                    switch event {
                    case .element: outcome.elements += 1
                    case .failed(let error): outcome.failure = error.condition
                    case .opened, .closed, .discarded: break
                    }
                }
            }
        }
        outcome.discarded = parser.discardedStanzas
        return outcome
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }

    private static func sized(_ bytes: Int) -> String {
        "<a>" + String(repeating: "x", count: bytes - 7) + "</a>"
    }

    private static func withAttributes(_ count: Int) -> String {
        "<a" + (0..<count).map { " a\($0)='1'" }.joined() + "/>"
    }

    /// Each row: what is just allowed and what is not.
    static let rows: [(String, String)] = [
        (nested(5), nested(6)),
        (sized(1000), sized(1001)),
        (withAttributes(4), withAttributes(5)),
        ("<a xmlns:b='urn:b' xmlns:c='urn:c' d='1' e='2'/>", "<a xmlns:b='urn:b' xmlns:c='urn:c' d='1' e='2' f='3'/>"),
        ("<aaaaaaaaaa/>", "<aaaaaaaaaaa/>"),
        ("<a bbbbbbbbbb='1'/>", "<a bbbbbbbbbbb='1'/>"),
        (
            "<b><a c='" + String(repeating: "x", count: 900) + "'/></b>",
            "<b><a c='" + String(repeating: "x", count: 1000) + "'/></b>"
        ),
        ("<b>" + withAttributes(4) + "</b>", "<b>" + withAttributes(5) + "</b>"),
        (
            "<b xmlns='urn:b'><c xmlns:p='urn:p'/><c xmlns='urn:c'/></b>",
            "<b xmlns='urn:b'><c xmlns:p='urn:p' xmlns='urn:c'/></b>"
        ),
    ]

    @Test("the limit itself is allowed, one more ends the stream before the login", arguments: rows)
    func strict(allowed: String, refused: String) {
        for chunk in [1, 7, 100, 5000] {
            #expect(run([allowed, " ", allowed, "<z/>"], Self.small, chunk: chunk) == Outcome(elements: 3))
            #expect(
                run([allowed, refused, "<z/>"], Self.small, chunk: chunk)
                    == Outcome(elements: 1, failure: .policyViolation),
                "chunks of \(chunk)"
            )
        }
    }

    @Test("after the login the stanza is dropped and the stream goes on", arguments: rows)
    func discarding(allowed: String, refused: String) {
        for chunk in [1, 7, 100, 5000] {
            #expect(
                run([allowed, refused, " ", allowed, refused, refused, "<z/>"], Self.smallDiscarding, chunk: chunk)
                    == Outcome(elements: 3, discarded: 3),
                "chunks of \(chunk)"
            )
        }
    }

    @Test("there is an end to what is skipped, counted without markup and escapes")
    func discardingEnds() {
        let text = String(repeating: "x", count: 2999) + "&apos;"
        // The first thousand bytes are of a stanza that may yet be taken.
        let begin = "<a><b c='" + String(repeating: "x", count: 992)
        let value = String(repeating: "&lt;", count: 3000)
        let markup = "<a>" + String(repeating: "x", count: 998)
        for chunk in [1, 100, 10_000, 100_000] {
            for allowed in [
                "<a>\(text)</a>", "<a><b>\(text)</b></a>", "<a>\(text)<![CDATA[]]></a>", "\(begin)\(value)'/></a>",
                "\(markup)<b>\(text.dropFirst(1002))</b></a>",
            ] {
                #expect(
                    run([allowed, "<z/>"], Self.smallDiscarding, chunk: chunk) == Outcome(elements: 1, discarded: 1),
                    "\(allowed.suffix(20)) in chunks of \(chunk)")
            }
            for refused in [
                "<a>\(text)y</a>", "<a><b>\(text)y</b></a>", "<a>\(text)<![CDATA[y]]></a>",
                "\(begin)\(value)x'/></a>", "<a>\(text)<b/></a>", "<a>\(text)z",
                "\(markup)<b>\(text.dropFirst(1001))</b></a>",
                "\(markup)\(String(repeating: "<b xmlns:p='urn:1' xmlns:q='urn:1'/>", count: 200))</a>",
                "\(markup)\((0..<300).map { "<b xmlns='urn:\($0)'/>" }.joined())</a>",
            ] {
                #expect(
                    run([refused, "<z/>"], Self.smallDiscarding, chunk: chunk) == Outcome(failure: .policyViolation),
                    "\(refused.suffix(20)) in chunks of \(chunk)"
                )
            }
        }
    }

    @Test("it ends too where a server writes the same namespace for ever, at 64 times as much")
    func lengthening() {
        let begin = "<a>" + String(repeating: "x", count: 998)
        let again = "<b xmlns='urn:\(String(repeating: "u", count: 983))'/>"
        let fits = 190
        for chunk in [1000, 100_000] {
            let allowed = begin + String(repeating: again, count: fits) + "</a>"
            #expect(run([allowed, "<z/>"], Self.smallDiscarding, chunk: chunk) == Outcome(elements: 1, discarded: 1))
            let refused = begin + String(repeating: again, count: fits + 2) + "</a>"
            #expect(
                run([refused, "<z/>"], Self.smallDiscarding, chunk: chunk) == Outcome(failure: .policyViolation))
        }
    }

    @Test("the sizes are those of the design: 10 KiB before the login, 256 KiB after it, 64 levels, 64 attributes")
    func sizes() {
        #expect(run([Self.sized(10_240)], .beforeLogin).elements == 1)
        #expect(run([Self.sized(10_241)], .beforeLogin).failure == .policyViolation)
        #expect(run([Self.sized(262_144)], .normal, chunk: 4096).elements == 1)
        #expect(run([Self.sized(262_145)], .normal, chunk: 4096) == Outcome(discarded: 1))
        #expect(run([Self.sized(1_048_576), "<z/>"], .normal, chunk: 4096) == Outcome(elements: 1, discarded: 1))
        #expect(run([Self.sized(1_048_576 + 8)], .normal, chunk: 4096).failure == .policyViolation)
        let result = { (bytes: Int) in
            "<iq type='result'>" + String(repeating: "x", count: bytes - 23) + "</iq>"
        }
        #expect(run([result(16_777_216), "<z/>"], .answers, chunk: 65_536) == Outcome(elements: 2))
        #expect(run([result(16_777_217), "<z/>"], .answers, chunk: 65_536).failure == .policyViolation)
        #expect(run([result(262_145), "<z/>"], .normal, chunk: 65_536) == Outcome(elements: 1, discarded: 1))
        for other in ["<iq type='set'>", "<iq>", "<presence type='result'>", "<iq xmlns='urn:x' type='result'>"] {
            let name = other.hasPrefix("<iq") ? "iq" : "presence"
            let stanza = other + String(repeating: "x", count: 262_144) + "</\(name)>"
            #expect(run([stanza, "<z/>"], .answers, chunk: 65_536) == Outcome(elements: 1, discarded: 1))
        }
        #expect(
            run([Self.nested(64), Self.nested(65), Self.nested(1000)], .normal) == Outcome(elements: 1, discarded: 2)
        )
        #expect(run([Self.withAttributes(64), Self.withAttributes(65)], .normal) == Outcome(elements: 1, discarded: 1))
        let name = String(repeating: "n", count: 256)
        #expect(run(["<\(name)/>", "<\(name)n/>"], .normal) == Outcome(elements: 1, discarded: 1))
    }

    @Test("a header has the limits too, and always ends the stream")
    func headers() {
        let parser = XMLStreamParser(limits: .normal)
        let attributes = (0..<70).map { " a\($0)='1'" }.joined()
        let header = Self.header.dropLast() + attributes + ">"
        #expect(parser.feed(Array(header.utf8)) == [.failed(StreamError(.policyViolation))])
        let endless = XMLStreamParser(limits: .beforeLogin)
        var events: [XMLStreamEvent] = []
        for _ in 0..<20 { events += endless.feed([UInt8](repeating: 0x20, count: 1000)) }
        #expect(events == [.failed(StreamError(.policyViolation))])
    }

    @Test("a reference without an end does not hold a stream back")
    func endlessReferences() {
        #expect(run(["<a>&amp</a>"], .normal).failure == .notWellFormed)
        #expect(run(["<a b='&amp'/>"], .normal).failure == .notWellFormed)
        #expect(run(["<a>&" + String(repeating: "x", count: 32)], .normal).failure == .restrictedXML)
        #expect(run(["<a>&#" + String(repeating: "0", count: 29) + "9;</a>"], .normal).elements == 1)
    }

    @Test("thousands of attributes in one tag are kept from the parser, and the stanza is dropped")
    func attributeFlood() {
        #expect(run([Self.withAttributes(4096)], .normal, chunk: 65_536) == Outcome(discarded: 1))
        #expect(run([Self.withAttributes(4097)], .normal, chunk: 65_536) == Outcome(discarded: 1))
        #expect(run([Self.withAttributes(60_000)], .normal, chunk: 65_536) == Outcome(discarded: 1))
        #expect(run([Self.withAttributes(4097)], .beforeLogin, chunk: 65_536).failure == .policyViolation)
        let endless = "<a " + String(repeating: "b='' ", count: 4096) + String(repeating: "c='' ", count: 2_000_000)
        #expect(run([endless], .normal, chunk: 65_536).failure != nil)
        // Text and values full of equals signs are no attributes.
        let signs = String(repeating: "=", count: 50_000)
        #expect(run(["<a b='\(signs)'>\(signs)<![CDATA[\(signs)'\"<]]>\(signs)</a>"], .normal).elements == 1)
    }

    @Test("a stream closes as any other after its context was renewed")
    func closeAfterRenewal() {
        let parser = XMLStreamParser(limits: .normal)
        let text = Self.header + Self.nested(65) + "<a/></stream:stream><b/>"
        let events = parser.feed(Array(text.utf8))
        #expect(events.count == 4)
        #expect(events.last == .closed)
        #expect(parser.renewedContexts == 1)
    }

    @Test("a stream of the shortest header goes on over a new context")
    func shortHeader() {
        let parser = XMLStreamParser(limits: .normal)
        let text = "<s>" + Self.nested(65) + "<a/>" + Self.nested(65) + "<a/></s>"
        let events = parser.feed(Array(text.utf8))
        let element = XMLStreamEvent.element(Element("a", namespace: ""))
        let skipped = XMLStreamEvent.discarded(Element("a", namespace: ""))
        #expect(events == [.opened(Element("s", namespace: "")), skipped, element, skipped, element, .closed])
    }

    @Test("levels by the hundred thousand are dropped like any other stanza")
    func extremeDepth() {
        #expect(run([Self.nested(140_000), "<z/>"], .normal, chunk: 65_536) == Outcome(elements: 1, discarded: 1))
        #expect(run([String(repeating: "<a>", count: 400_000)], .normal, chunk: 65_536).failure == .policyViolation)
    }

    @Test("new names in each stanza do not fill the memory, and the stream goes on over a new context (F2, C3)")
    func distinctNames() {
        let header = Self.header.dropLast() + " xmlns:db='jabber:server:dialback' xmlns:q=\"urn:'q&amp;r\">"
        let parser = XMLStreamParser(limits: .normal)
        var count = parser.feed(Array(header.utf8)).count
        let expected = Element(
            "r",
            namespace: "jabber:server:dialback",
            attributes: [.init("a", namespace: "urn:'q&r", "1")],
            children: [.element(Element("x", namespace: Namespace.client))]
        )
        for round in 0..<3000 {
            var text = ""
            for part in 0..<10 {
                text += "<db:n\(round)-\(part) a\(round)-\(part)='1'/>"
            }
            text += "<db:r q:a='1'><x/></db:r>"
            // The cut moves through the stanzas.
            let bytes = Array(text.utf8)
            let cut = (round * 7) % bytes.count
            let events = parser.feed(Array(bytes[..<cut])) + parser.feed(Array(bytes[cut...]))
            count += events.count
            #expect(events.last == .element(expected))
        }
        #expect(count == 1 + 3000 * 11)
        #expect(parser.discardedStanzas == 0)
        #expect(parser.renewedContexts > 10)
        parser.reset()
        #expect(parser.feed(Array((Self.header + "<a/>").utf8)).count == 2)
    }

    @Test("no stranger's stanza ends the stream after the login, however many attributes it has")
    func attributesOfStrangers() {
        for count in [4096, 4097, 20_000] {
            for chunk in [7, 1000, 65_536] {
                let prefixed = Self.withAttributes(count).dropLast(2) + " xmlns:p='urn:p'><p:c/></a>"
                let stanzas = [
                    String(prefixed), "<z/>", "<b>" + Self.withAttributes(count) + "<c/></b>", "<z/>",
                    Self.withAttributes(count), "<z/>",
                ]
                let outcome = run(stanzas, .normal, chunk: chunk)
                #expect(outcome == Outcome(elements: 3, discarded: 3), "\(count) attributes in chunks of \(chunk)")
            }
        }
    }

    @Test("no stranger's stanza that a server took ends the stream, though it is six times as long when escaped")
    func escapedStrangers() {
        let text = String(repeating: "&apos;", count: 500_000)
        #expect(run(["<b>\(text)</b>", "<z/>"], .normal, chunk: 65_536) == Outcome(elements: 1, discarded: 1))
    }
}
