import Testing
import XMPPCore

@Suite("Stream parser")
struct XMLStreamParserTests {
    static let header =
        "<?xml version='1.0'?><stream:stream id='i' xml:lang='en' xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams' version='1.0' from='gate.test'>"
    static let opened = Element(
        "stream",
        namespace: Namespace.streams,
        attributes: [
            .init("id", "i"), .init("lang", namespace: Namespace.xml, "en"), .init("version", "1.0"),
            .init("from", "gate.test"),
        ]
    )

    private func parse(_ text: String, limits: XMLLimits = .beforeLogin) -> [XMLStreamEvent] {
        XMLStreamParser(limits: limits).feed(Array(text.utf8))
    }

    private func message(_ children: Element.Node...) -> XMLStreamEvent {
        .element(Element("message", namespace: Namespace.client, children: children))
    }

    @Test("a header, features and stanzas come as events, whole and in order")
    func events() {
        let events = parse(
            Self.header + "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>"
                + "<message><body>a &lt;b&gt; &amp; c</body></message><presence type='subscribe'/></stream:stream>"
        )
        #expect(
            events == [
                .opened(Self.opened),
                .element(
                    Element(
                        "features",
                        namespace: Namespace.streams,
                        children: [.element(Element("starttls", namespace: Namespace.tls))]
                    )
                ),
                message(.element(Element("body", namespace: Namespace.client, children: [.text("a <b> & c")]))),
                .element(
                    Element("presence", namespace: Namespace.client, attributes: [.init("type", "subscribe")])
                ),
                .closed,
            ]
        )
    }

    @Test("where the chunks are cut changes nothing")
    func chunks() {
        let text =
            " \n" + Self.header.dropFirst(21)
            + " <message a='1&amp;2&lt;&#x10FFFF;'>\u{E9}\u{20AC}\u{1F600}<b/>t<![CDATA[<x>]]]>&#65;"
            + "</message>\r\n<iq xmlns:p='urn:p' p:x='\u{E9}'><p:q/></iq></stream:stream>"
        let bytes = Array(text.utf8)
        let whole = XMLStreamParser(limits: .beforeLogin).feed(bytes)
        #expect(whole.count == 4)
        guard case .element(let element) = whole[1] else { return #expect(Bool(false)) }
        #expect(element[attribute: "a"] == "1&2<\u{10FFFF}")
        #expect(
            element.children == [
                .text("\u{E9}\u{20AC}\u{1F600}"), .element(Element("b", namespace: Namespace.client)),
                .text("t<x>]A"),
            ]
        )
        for size in 1...40 {
            let parser = XMLStreamParser(limits: .beforeLogin)
            var events: [XMLStreamEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += parser.feed(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(events == whole, "chunks of \(size)")
        }
        for cut in 0...bytes.count {
            let parser = XMLStreamParser(limits: .beforeLogin)
            #expect(parser.feed(Array(bytes[..<cut])) + parser.feed(Array(bytes[cut...])) == whole, "cut at \(cut)")
        }
    }

    @Test(
        "a line's end is one line feed however it is written, in CDATA too, unless it is a reference (XML section 2.11)"
    )
    func lineEnds() {
        for (written, read) in [
            ("a\r\nb\rc\nd\r\r\n", "a\nb\nc\nd\n\n"), ("<![CDATA[a\r\nb\rc\nd\r\r\n]]>", "a\nb\nc\nd\n\n"),
            ("<![CDATA[\r]]>\n", "\n\n"), ("<![CDATA[x\r]]><![CDATA[\n]]>", "x\n\n"), ("&#13;\n&#xD;", "\r\n\r"),
            ("<![CDATA[]\r\n]]]>", "]\n]"), ("<![CDATA[\rx\n]]>", "\nx\n"),
        ] {
            let bytes = Array((Self.header + "<message>\(written)</message>").utf8)
            for size in [1, 2, 3, bytes.count] {
                let parser = XMLStreamParser(limits: .beforeLogin)
                var events: [XMLStreamEvent] = []
                for start in stride(from: 0, to: bytes.count, by: size) {
                    events += parser.feed(Array(bytes[start..<min(start + size, bytes.count)]))
                }
                #expect(events.last == message(.text(read)), "\(written.debugDescription) in chunks of \(size)")
            }
        }
    }

    @Test("a stanza comes with its last byte, not with the next stanza")
    func promptness() {
        let parser = XMLStreamParser(limits: .beforeLogin)
        #expect(parser.feed(Array(Self.header.utf8)) == [.opened(Self.opened)])
        #expect(parser.feed(Array("<message>x</message".utf8)) == [])
        #expect(parser.feed(Array(">".utf8)) == [message(.text("x"))])
        #expect(parser.feed(Array("<message/".utf8)) == [])
        #expect(parser.feed(Array(">".utf8)) == [message()])
        #expect(parser.feed(Array("</stream:stream".utf8)) == [])
        #expect(parser.feed(Array(">".utf8)) == [.closed])
    }

    @Test(
        "comments, instructions, DTDs and entities are restricted XML (RFC 6120 section 11.1)",
        arguments: [
            "<!-- c -->", "<message><!-- c --></message>", "<?pi x?>", "<message><?pi x?></message>", "<!DOCTYPE x>",
            "<!DOCTYPE x [<!ENTITY a 'b'>]>", "<message>&a;</message>", "<message a='&a;'/>", "<!ELEMENT x ANY>",
            "<![INCLUDE[x]]>", "<!--", "<!",
        ]
    )
    func restricted(text: String) {
        let last = parse(Self.header + text + "<message/>").last
        if text == "<!--" || text == "<!" || text.hasPrefix("<?") || text.hasPrefix("<message><?") {
            guard case .failed = last else { return #expect(Bool(false), "\(String(describing: last))") }
        } else {
            #expect(last == .failed(StreamError(.restrictedXML)))
        }
    }

    @Test(
        "a DTD in front of the stream is restricted XML",
        arguments: [
            "<!DOCTYPE stream>", "<!DOCTYPE s [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]>", "<!-- c -->",
        ]
    )
    func restrictedProlog(text: String) {
        #expect(
            parse("<?xml version='1.0'?>" + text + Self.header.dropFirst(21)) == [.failed(StreamError(.restrictedXML))]
        )
    }

    @Test(
        "XML that is not well-formed ends the stream and no stanza comes of it",
        arguments: [
            "<message></presence>", "<message a='1' a='2'/>", "<message a=1/>", "<message <b/></message>",
            "<message a='<'/>", "<message>&#0;</message>", "<message>&#x1F;</message>", "<message>&#xFFFE;</message>",
            "<message>&#xD800;</message>", "<message>]]></message>", "<?xml version='1.0'?>",
            "<message><?xml version='1.0'?></message>", "<1/>", "<message>&lt</message>", "</message>", "< message/>",
            "<message/ >", "<message a/>", "<message>&#x110000;</message>",
        ]
    )
    func malformed(text: String) {
        let events = parse(Self.header + text + "<message/>")
        #expect(events.count == 2)
        guard case .failed(let error) = events.last else { return #expect(Bool(false)) }
        #expect([.notWellFormed, .restrictedXML].contains(error.condition))
    }

    @Test(
        "bytes that are not UTF-8 end the stream as an unsupported encoding (RFC 6120 section 4.9.3.22, CVE-2022-25235)",
        arguments: [
            [0xEB, 0x3C, 0x3E], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xFF],
            [0xE2, 0x82, 0x3C], [0xEF, 0xBF, 0x3C], [0xEF, 0xBF, 0x00], [0xEF, 0xBF, 0xC0],
        ] as [[UInt8]]
    )
    func notUTF8(bytes: [UInt8]) { expectEnd(with: .unsupportedEncoding, bytes) }

    @Test(
        "UTF-8 of characters that XML cannot hold is not well-formed (XML section 2.2)",
        arguments: [[0x00], [0x01], [0x1F], [0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF]] as [[UInt8]]
    )
    func notXML(bytes: [UInt8]) { expectEnd(with: .notWellFormed, bytes) }

    private func expectEnd(with condition: StreamError.Condition, _ bytes: [UInt8]) {
        for (before, after) in [
            ("<message>", "</message>"), ("<message a='", "'/>"), ("<aaa", "/>"),
        ] {
            let parser = XMLStreamParser(limits: .beforeLogin)
            var events = parser.feed(Array(Self.header.utf8))
            for byte in Array(before.utf8) + bytes + Array(after.utf8) { events += parser.feed([byte]) }
            #expect(events == [.opened(Self.opened), .failed(StreamError(condition))])
        }
    }

    @Test("what XML cannot hold ends the stream with its last byte, wherever it stands", arguments: ["", "<![CDATA["])
    func promptFaults(before: String) {
        for (character, condition) in [
            ([0xEF, 0xBF, 0xBE], .notWellFormed), ([0xEF, 0xBF, 0xBF], .notWellFormed), ([0xC1], .unsupportedEncoding),
            ([0x01], .notWellFormed), ([0xED, 0xA0], .unsupportedEncoding),
        ] as [([UInt8], StreamError.Condition)] {
            let parser = XMLStreamParser(limits: .normal)
            let bytes = Array((Self.header + "<message>" + before + "x").utf8) + character.dropLast()
            #expect(parser.feed(bytes) == [.opened(Self.opened)])
            #expect(parser.feed(Array(character.suffix(1))) == [.failed(StreamError(condition))])
        }
        let parser = XMLStreamParser(limits: .normal)
        let text = "\u{FFFD}\u{FFBF}\u{F000}\u{1FFFD}"
        let end = before.isEmpty ? "" : "]]>"
        #expect(
            parser.feed(Array((Self.header + "<message>" + before + text + end + "</message>").utf8))
                == [.opened(Self.opened), message(.text(text))])
    }

    @Test("a stanza in front of the fault in the same chunk is delivered")
    func beforeTheFault() {
        let bytes = Array((Self.header + "<message/>").utf8) + [0xFF] + Array("<message/>".utf8)
        #expect(
            XMLStreamParser(limits: .beforeLogin).feed(bytes)
                == [.opened(Self.opened), message(), .failed(StreamError(.unsupportedEncoding))]
        )
    }

    @Test(
        "what does not begin like XML in UTF-8 is an unsupported encoding",
        arguments: [
            [0xEF, 0xBB, 0xBF, 0x3C], [0xFE, 0xFF, 0x00, 0x3C], [0xFF, 0xFE, 0x3C, 0x00], [0x00, 0x3C, 0x00, 0x3F],
            [0x4C, 0x6F, 0xA7, 0x94], [0x2B, 0x41, 0x44, 0x77], [0x48, 0x54, 0x54, 0x50], [0x00],
            [0x3C, 0x00, 0x3F, 0x00],
        ] as [[UInt8]]
    )
    func encodings(bytes: [UInt8]) {
        let events = XMLStreamParser(limits: .beforeLogin).feed(bytes + Array("<stream/>".utf8))
        #expect(events == [.failed(StreamError(.unsupportedEncoding))])
    }

    @Test(
        "names are known by namespace, and what is not well-formed by namespaces ends the stream (RFC 6120 section 11.3)",
        arguments: [
            "<x:message/>", "<message x:a='1'/>", "<message xmlns:p=''/>",
            "<message xmlns:p='urn:p' xmlns:q='urn:p' p:a='1' q:a='2'/>",
            "<message xmlns:xml='urn:x'/>", "<message xmlns:xmlns='urn:x'/>", "<message><x:b/></message>",
            "<a:b:c xmlns:a='urn:a'/>",
            "<message xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
        ]
    )
    func namespaceFaults(text: String) {
        for limits in [XMLLimits.beforeLogin, .normal] {
            let events = parse(Self.header + text + "<message/>", limits: limits)
            #expect(events == [.opened(Self.opened), .failed(StreamError(.notWellFormed))])
        }
    }

    @Test("a prefix, a default namespace in the middle and an empty one do not make a stanza of ours (C4)")
    func foreignNames() {
        let events = parse(
            Self.header + "<x:presence xmlns:x='urn:other'/><presence xmlns='urn:other'/><presence xmlns=''/>"
                + "<y:presence xmlns:y='jabber:client'/><message><presence xmlns=''/></message>"
        )
        let stanzas = events.compactMap { if case .element(let element) = $0 { Stanza(element) } else { nil } }
        #expect(events.count == 6)
        #expect(stanzas.count == 2)
        guard case .presence = stanzas.first else { return #expect(Bool(false)) }
    }

    @Test("a namespace that is no URI is no way to end somebody else's stream")
    func namespaceThatIsNoURI() {
        let stanza = "<message xmlns:p='a|b\n' xmlns='a|b\n'><c/></message>"
        #expect(
            parse(Self.header + stanza + "<message/>") == [
                .opened(Self.opened), .failed(StreamError(.badFormat)),
            ]
        )
        guard case .discarded(let element) = parse(Self.header + stanza, limits: .normal).last else {
            return #expect(Bool(false))
        }
        #expect(element.namespace == "a|b ")
        #expect(parse(Self.header + stanza + "<message/>", limits: .normal).last == message())
        #expect(
            parse(Self.header + "<message><a xmlns='a|b\n'/>x<b/></message><message/>", limits: .normal)
                == [.opened(Self.opened), .discarded(Element("message", namespace: Namespace.client)), message()]
        )
        #expect(
            parse(Self.header + "<message><a xmlns='a|b\n'/><x:b/></message><message/>", limits: .normal)
                == [.opened(Self.opened), .failed(StreamError(.notWellFormed))]
        )
    }

    @Test("white space between stanzas is nothing; text there ends the stream (B042)")
    func whiteSpace() {
        #expect(
            parse(Self.header + " \n\n\t<message/>\r\n <message/>  ") == [.opened(Self.opened), message(), message()]
        )
        #expect(
            parse(Self.header + "<message/>x<message/>") == [
                .opened(Self.opened), message(), .failed(StreamError(.badFormat)),
            ]
        )
        #expect(
            parse(Self.header + "<![CDATA[x]]><message/>") == [.opened(Self.opened), .failed(StreamError(.badFormat))]
        )
        let parser = XMLStreamParser(limits: XMLLimits(stanzaBytes: 2000))
        #expect(parser.feed(Array(Self.header.utf8)).count == 1)
        for _ in 0..<5000 { #expect(parser.feed([0x20]) == []) }
        #expect(parser.feed(Array("<message/>".utf8)) == [message()])
    }

    @Test("text between stanzas ends the stream with its first byte, wherever the reads cut it")
    func promptText() {
        for before in ["", " ", "<message/>", "<message/> ", " \n<message/>\n\t"] {
            for chunk in [1, 3, 1000] {
                let parser = XMLStreamParser(limits: .normal)
                var events: [XMLStreamEvent] = []
                let bytes = Array((Self.header + before + "x").utf8)
                for start in stride(from: 0, to: bytes.count, by: chunk) {
                    events += parser.feed(Array(bytes[start..<min(start + chunk, bytes.count)]))
                }
                #expect(events.last == .failed(StreamError(.badFormat)), "\(before.debugDescription) by \(chunk)")
                #expect(events.count == (before.contains("<") ? 3 : 2))
            }
        }
        for between in ["<![CDATA[ \n]]>", "<![CDATA[]]>", "&#32;&#10;", " <![CDATA[ ]]> &#x9; "] {
            for chunk in [1, 4, 1000] {
                let parser = XMLStreamParser(limits: .normal)
                var events: [XMLStreamEvent] = []
                let bytes = Array((Self.header + "<message/>" + between + "<message/>" + between + " ").utf8)
                for start in stride(from: 0, to: bytes.count, by: chunk) {
                    events += parser.feed(Array(bytes[start..<min(start + chunk, bytes.count)]))
                }
                #expect(events == [.opened(Self.opened), message(), message()], "\(between) by \(chunk)")
            }
        }
    }

    @Test("nothing comes after the end or after a failure")
    func afterTheEnd() {
        let parser = XMLStreamParser(limits: .beforeLogin)
        #expect(
            parser.feed(Array((Self.header + "</stream:stream><message/>\u{1}").utf8)) == [
                .opened(Self.opened), .closed,
            ]
        )
        #expect(parser.feed(Array("<message/>".utf8)) == [])
        let failed = XMLStreamParser(limits: .beforeLogin)
        #expect(failed.feed(Array("x".utf8)) == [.failed(StreamError(.unsupportedEncoding))])
        #expect(failed.feed(Array(Self.header.utf8)) == [])
        #expect(failed.feed([]) == [])
    }

    @Test("a reset begins a new stream, from anywhere")
    func resets() {
        let parser = XMLStreamParser(limits: .beforeLogin)
        for text in [
            "", "<", Self.header, Self.header + "<message>x", Self.header + "<!", "x", Self.header + "</stream:stream>",
        ] {
            _ = parser.feed(Array(text.utf8))
            parser.reset()
            #expect(parser.feed(Array((Self.header + "<message/>").utf8)) == [.opened(Self.opened), message()])
            parser.reset()
        }
    }

    @Test("the bytes behind the last element are counted: they must not be there at the begin of TLS")
    func unconsumed() {
        for (tail, count) in [("", 0), (" ", 1), ("<", 1), ("<success", 8)] {
            let parser = XMLStreamParser(limits: .beforeLogin)
            _ = parser.feed(Array((Self.header + "<stream:features/>").utf8))
            #expect(parser.unconsumedBytes == 0)
            _ = parser.feed(Array(("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>" + tail).utf8))
            #expect(parser.unconsumedBytes == count)
        }
    }

    @Test("random mutations of a stream never trap, and what is read can be written and read again")
    func mutations() {
        var generator = SplitMix(seed: 6120)
        let stream = Array(
            (Self.header
                + "<message to='a@b/c' id='1'><body xml:lang='en'>x &amp; y</body><p:x xmlns:p='urn:p' p:a='&lt;'/>"
                + "<![CDATA[z]]></message> <iq type='get'><q xmlns='urn:q'/></iq></stream:stream>").utf8
        )
        for _ in 0..<10_000 {
            var bytes = stream
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.remove(at: at)
                case 2: bytes.insert(Array("<>&'\"/=!?[] :\0".utf8).randomElement(using: &generator) ?? 0, at: at)
                case _: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 9)], at: at)
                }
            }
            let limits = Bool.random(using: &generator) ? XMLLimits.normal : .beforeLogin
            let parser = XMLStreamParser(limits: limits)
            let cut = Int.random(in: 0...bytes.count, using: &generator)
            let events = parser.feed(Array(bytes[..<cut])) + parser.feed(Array(bytes[cut...]))
            for case .element(let element) in events {
                _ = Stanza(element)
                let again = parse(
                    Self.header + String(decoding: element.serialized(inside: Namespace.client), as: UTF8.self)
                )
                #expect(again == [.opened(Self.opened), .element(element)])
            }
        }
    }
}
