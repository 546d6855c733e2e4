import Testing
import XMPPCore

/// What a hostile peer can do with a stream that one stanza does not show.
@Suite("Hostile streams")
struct HostileStreamTests {
    @Test(
        "a stream that begins in another encoding is none (F3)",
        arguments: [
            [0xFF, 0xFE, 0x3C, 0x00], [0xFE, 0xFF, 0x00, 0x3C], [0xEF, 0xBB, 0xBF, 0x3C], [0x4C, 0x6F, 0xA7, 0x94],
            Array("+ADw-stream+AD4-".utf8),
        ] as [[UInt8]]
    )
    func encodings(bytes: [UInt8]) {
        for chunk in [1, 100] {
            let parser = XMLStreamParser(limits: .beforeLogin)
            var events: [XMLStreamEvent] = []
            let all = bytes + HostileXMLTests.header
            for start in stride(from: 0, to: all.count, by: chunk) {
                events += parser.feed(Array(all[start..<min(start + chunk, all.count)]))
            }
            guard events.count == 1, case .failed(let error) = events.first else {
                return #expect(Bool(false), "\(events)")
            }
            #expect(error.condition == .unsupportedEncoding)
        }
    }

    @Test("between stanzas bytes that are not UTF-8 are text first, wherever the reads cut them")
    func notUTF8BetweenStanzas() {
        for bytes in [[0xEB, 0x3C, 0x3E], [0xE2, 0x82, 0x3C], [0xEF, 0xBF, 0xBE]] as [[UInt8]] {
            for chunk in [1, 2, 1000] {
                let events = HostileXMLTests.run(bytes, .normal, chunk: chunk)
                #expect(events == [.failed(StreamError(.badFormat))])
            }
        }
    }

    @Test("the names of a long stream are forgotten again, and its last stanza costs what its first did (F2, C3)")
    func nameTable() {
        let parser = XMLStreamParser(limits: .normal)
        _ = parser.feed(HostileXMLTests.header)
        let rounds = TestCounts.rounds(usual: 60_000, all: 5_000_000)
        var (largest, half) = (0, 0)
        for round in 0..<rounds {
            guard parser.feed(Array("<p:n\(round) a\(round)='1' xmlns:p='urn:\(round)'/>".utf8)).count == 1 else {
                return #expect(Bool(false), "stanza \(round)")
            }
            largest = max(largest, parser.nameTableSize)
            if round == rounds / 2 { half = parser.comparisons }
        }
        #expect(parser.renewedContexts >= rounds / 2000)
        #expect(largest < 5000)
        #expect(parser.comparisons - half < half * 6 / 5)
        #expect(parser.heldBytes == 0)
    }

    @Test("a fault at any depth leaves the next stanza where it belongs (CVE-2019-1000007)")
    func depth() {
        var generator = SplitMix(seed: 1_000_007)
        let faults = [
            "<a xmlns='no uri|'/>", "<a\(HostileXMLTests.attributes(70))/>", "<\(String(repeating: "n", count: 300))/>",
            "<a\(HostileXMLTests.attributes(5000))><b/></a>", HostileXMLTests.levels(70),
        ]
        for _ in 0..<TestCounts.rounds(usual: 1000, all: 250_000) {
            var text = ""
            var expected: [Bool] = []
            for _ in 0..<4 {
                let isFaulty = Bool.random(using: &generator)
                text += tree(depth: 4, isFaulty ? faults.randomElement(using: &generator) : nil, &generator)
                expected.append(isFaulty)
            }
            let chunk = Int.random(in: 1...400, using: &generator)
            let events = HostileXMLTests.run(Array(text.utf8), .normal, chunk: chunk)
            var found: [Bool] = []
            for event in events.dropLast() {
                switch event {
                case .element(let element):
                    #expect(element.matches("top", Namespace.client))
                    found.append(false)
                case .discarded(let element):
                    #expect(element == Element("top", namespace: Namespace.client, attributes: [.init("id", "1")]))
                    found.append(true)
                case .opened, .closed, .failed: return #expect(Bool(false), "\(event)")
                }
            }
            #expect(found == expected)
            #expect(events.last == .element(Element("next", namespace: Namespace.client)))
        }
    }

    /// A stanza with the fault somewhere in it.
    private func tree(depth: Int, _ fault: String?, _ generator: inout SplitMix) -> String {
        func branch(_ depth: Int, _ fault: String?) -> String {
            var parts = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                depth > 0 ? "<top>\(branch(depth - 1, nil))</top>" : "text"
            }
            if let fault {
                let isHere = depth == 0 || Bool.random(using: &generator)
                let part = isHere ? fault : "<top>\(branch(depth - 1, fault))</top>"
                parts.insert(part, at: Int.random(in: 0...parts.count, using: &generator))
            }
            return parts.joined()
        }
        return "<top id='1'>\(branch(depth, fault))</top>"
    }

    @Test(
        "a delay's stamp is text that nobody reads: with any of them a request is the same (B044, CVE-2013-6477)",
        arguments: [
            "292278994-08-17T07:12:55Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "2024-02-30T00:00:00Z",
            "2024-01-01T00:00:00+02:00", "", "now", "-1-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "1e300",
        ]
    )
    func stamps(stamp: String) throws {
        let request =
            "<presence type='subscribe' from='new@example.net'><delay xmlns='urn:xmpp:delay' stamp='\(stamp)'/></presence>"
        guard case .element(let element) = HostileXMLTests.run(Array(request.utf8), .normal, chunk: 1000).first,
            case .presence(let presence) = Stanza(element)
        else { return #expect(Bool(false)) }
        #expect(presence.type == .subscribe)
        #expect(presence.from == (try JID("new@example.net")))
        #expect(presence.element.first("delay", "urn:xmpp:delay")?[attribute: "stamp"] == stamp)
    }

    @Test("other prefixes than the usual ones are the same names (C4, B040)")
    func prefixes() throws {
        let text =
            "<features xmlns='http://etherx.jabber.org/streams'/><n:success xmlns:n='urn:ietf:params:xml:ns:xmpp-sasl'/>"
            + "<iq type='get' id='v1'><v:query xmlns:v='jabber:iq:version'/></iq>"
            + "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\n  <mechanism>SCRAM-SHA-1</mechanism>\n</mechanisms>"
            + "<c:message xmlns:c='jabber:client' from='ally@example.org/x'><c:body>x</c:body></c:message>"
        let elements = HostileXMLTests.run(Array(text.utf8), .normal, chunk: 1000)
            .compactMap { if case .element(let element) = $0 { element } else { nil } }
        try #require(elements.count == 6)
        #expect(elements[0].matches("features", Namespace.streams))
        #expect(elements[1].matches("success", Namespace.sasl))
        #expect(IQ(elements[2])?.payload?.matches("query", "jabber:iq:version") == true)
        #expect(elements[3].first("mechanism", Namespace.sasl)?.text == "SCRAM-SHA-1")
        #expect(Message(elements[4])?.body == "x")
        let written = String(decoding: elements[4].serialized(inside: Namespace.client), as: UTF8.self)
        #expect(written == "<message from='ally@example.org/x'><body>x</body></message>")
    }
}
