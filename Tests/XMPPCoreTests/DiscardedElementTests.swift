import Testing
import XMPPCore

@Suite("Elements that are skipped")
struct DiscardedElementTests {
    private static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

    private func run(_ text: String, _ limits: XMLLimits = .normal, chunk: Int) -> [XMLStreamEvent] {
        let parser = XMLStreamParser(limits: limits)
        var events: [XMLStreamEvent] = []
        let bytes = Array((Self.header + text).utf8)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            events += parser.feed(Array(bytes[start..<min(start + chunk, bytes.count)]))
        }
        #expect(events.first == .opened(Element("stream", namespace: Namespace.streams)))
        return Array(events.dropFirst())
    }

    private static let tag = "<presence type='subscribe' id='i' to='b@b.test' from='a@a.test' p:q='1' xmlns:p='urn:p'>"
    private static let told = Element(
        "presence",
        namespace: Namespace.client,
        attributes: [
            .init("type", "subscribe"), .init("id", "i"), .init("to", "b@b.test"), .init("from", "a@a.test"),
            .init("q", namespace: "urn:p", "1"),
        ]
    )

    /// What a stranger can put into a request so that it is over a limit.
    static let payloads: [String] = [
        "<status>" + String(repeating: "x", count: 262_144) + "</status>",
        String(repeating: "<a>", count: 64) + String(repeating: "</a>", count: 64),
        "<a" + (0..<65).map { " a\($0)=''" }.joined() + "/>",
        "<a" + (0..<5000).map { " a\($0)=''" }.joined() + "/>",
        "<" + String(repeating: "n", count: 257) + "/>",
        "<" + String(repeating: "n", count: 60_000) + "/>",
        "<a " + String(repeating: "n", count: 60_000) + "='1'/>",
        "<a b='" + String(repeating: "v", count: 500_000) + "'/>",
        "<p:" + String(repeating: "n", count: 257) + "/>",
        "<a xmlns='no uri|\n'/>",
    ]

    @Test("a request over a limit in its payload is told with all its own tag says", arguments: payloads.indices)
    func payload(index: Int) {
        for chunk in [37, 4096, 2_000_000] {
            #expect(
                run(Self.tag + Self.payloads[index] + "</presence><z/>", chunk: chunk)
                    == [.discarded(Self.told), .element(Element("z", namespace: Namespace.client))]
            )
        }
    }

    @Test("a tag over a limit is told with what identifies it, wherever that stands in it")
    func ownTag() throws {
        let many = { (count: Int) in (0..<count).map { " a\($0)='1'" }.joined() }
        let long = String(repeating: "v", count: 200_000)
        let identity = " type='set' id='&lt;1' to='b@b.test' from='a@a.test'"
        let told = Element(
            "iq",
            namespace: Namespace.client,
            attributes: [.init("type", "set"), .init("id", "<1"), .init("to", "b@b.test"), .init("from", "a@a.test")]
        )
        for tag in [
            "<iq\(identity)\(many(65))>", "<iq\(many(65))\(identity)>", "<iq\(many(4096))\(identity)>",
            "<iq\(many(4090))\(identity)\(many(9).replacing(" a", with: " b"))>", "<iq\(many(20_000))\(identity)>",
            "<iq\(many(20_000)) type = 'set'\n\tid= '&lt;1' to ='b@b.test' from='a@a.test' x='' >",
            "<iq x='\(long)' y='\(long)'\(identity)>", "<iq\(identity) x='\(long)\(long)&gt;\(long)'>",
            "<iq x='\(long)\(long)' xmlns='jabber:client'\(identity)>",
            "<iq\(identity) \(String(repeating: "n", count: 257))='1'>",
            "<iq \(String(repeating: "n", count: 60_000))='1'\(identity)>",
        ] {
            for chunk in [41, 4096, 2_000_000] {
                #expect(
                    run("<y/>" + tag + "<x/></iq><z/>", chunk: chunk) == [
                        .element(Element("y", namespace: Namespace.client)), .discarded(told),
                        .element(Element("z", namespace: Namespace.client)),
                    ],
                    "\(tag.prefix(40)) in chunks of \(chunk)"
                )
            }
        }
    }

    @Test("a sender that cannot be read is nobody, never the account itself")
    func unreadableSender() throws {
        let many = (0..<65).map { " a\($0)='1'" }.joined()
        let flood = (0..<5000).map { " a\($0)='1'" }.joined()
        let long = String(repeating: "f", count: 3072)
        for tag in [
            "<presence\(many)/>", "<presence from='\(long)'\(many)/>", "<presence\(flood) from='\(long)'/>",
            "<presence\(flood) xfrom='a@a.test' fromx='a@a.test' p:from='a@a.test' xmlns:p='urn:p'/>",
            "<presence from='a@a.test\(String(repeating: "&#0000000000000000000000000097;", count: 9000))'\(flood)/>",
        ] {
            guard case .discarded(let element) = run(tag, chunk: 4096).first else {
                return #expect(Bool(false), "\(tag.prefix(60))")
            }
            let presence = try #require(Presence(element))
            #expect(presence.from == nil)
            #expect(presence.fromIsInvalid)
        }
    }

    @Test("a namespace that was not read makes no stanza of ours")
    func unreadNamespace() {
        let flood = (0..<5000).map { " a\($0)='1'" }.joined()
        let uri = String(repeating: "u", count: 400_000)
        for (tag, namespace) in [
            ("<presence\(flood) xmlns='urn:other'/>", "urn:other"), ("<p:presence\(flood) xmlns:p='urn:p'/>", ""),
            ("<presence xmlns='urn:\(uri)'/>", ""), ("<presence\(flood) xmlns='jabber:client'/>", "jabber:client"),
        ] {
            guard case .discarded(let element) = run(tag, chunk: 4096).first else {
                return #expect(Bool(false), "\(tag.prefix(60))")
            }
            #expect(element.namespace == namespace)
        }
    }

    private func deliver(_ request: String, logins: Int) {
        let parser = XMLStreamParser(limits: .normal)
        let bytes = Array((Self.header + request + "<z/>").utf8)
        for _ in 0..<logins {
            parser.reset()
            var events: [XMLStreamEvent] = []
            for start in stride(from: 0, to: bytes.count, by: 65_536) {
                events += parser.feed(Array(bytes[start..<min(start + 65_536, bytes.count)]))
            }
            #expect(
                Array(events.dropFirst())
                    == [.discarded(Self.told), .element(Element("z", namespace: Namespace.client))],
                "\(request.dropFirst(90).prefix(40))"
            )
        }
        #expect(parser.discardedStanzas == logins)
    }

    @Test(
        "an over-limit subscribe, delivered again at three logins, leaves the stream up",
        arguments: [262_344, 524_288]
    )
    func threeLogins(raw: Int) {
        let text = String(repeating: "x", count: raw - 200)
        deliver(Self.tag + "<status>" + text + "</status></presence>", logins: 3)
    }

    @Test("so it does however a server lengthens what it takes, which is half a MiB at most")
    func lengthened() {
        let raw = 524_288
        let uri = "urn:" + String(repeating: "u", count: 60_000)
        for (begin, rest) in [
            // Escaped: six times as long.
            ("<status>", String(repeating: "&apos;", count: raw - 200) + "</status>"),
            ("<x a='", String(repeating: "&#xA;", count: raw - 200) + "'/>"),
            // One declaration of the sender's, written again at each element and each attribute, as Prosody does.
            ("<x>", String(repeating: "<y xmlns='\(uri)'/>", count: 30) + "</x>"),
            ("<x", (0..<30).map { " xmlns:ns\($0)='\(uri)' ns\($0):a\($0)=''" }.joined() + "/>"),
            // Names, levels, attributes.
            ("", "<" + String(repeating: "n", count: raw / 2 - 200) + "/>"),
            ("", String(repeating: "<a>", count: raw / 8) + String(repeating: "</a>", count: raw / 8)),
            ("<x", (0..<(raw / 10)).map { " a\($0)=''" }.joined() + "/>"),
        ] {
            deliver(Self.tag + begin + rest + "</presence>", logins: 1)
        }
    }

    @Test("what no server takes from a stranger ends the stream")
    func endOfPatience() {
        let million = 1_048_577
        for stanza in [
            "<a>" + String(repeating: "&lt;", count: million) + "</a>",
            "<a b='" + String(repeating: "x", count: million + 262_144) + "'/>",
            "<a>" + String(repeating: "<b/>", count: 400_000) + "</a>",
            "<a>" + (0..<14).map { "<b xmlns='urn:\($0)" + String(repeating: "u", count: 100_000) + "'/>" }.joined(),
            "<a" + (0..<200_000).map { " a\($0)='1'" }.joined() + "/>",
            "<a" + String(repeating: " ", count: million) + "/>",
            "<" + String(repeating: "n", count: million) + "/>",
            "<a xmlns='" + String(repeating: "u", count: million + 300_000) + "'/>",
        ] {
            #expect(
                run(stanza + "<z/>", chunk: 65_536) == [.failed(StreamError(.policyViolation))],
                "\(stanza.prefix(40))"
            )
        }
    }
}
