import Testing
import XMPPCore

/// The limit on names holds for prefixes too.
@Suite("Long prefixes")
struct PrefixLimitTests {
    private func read(_ text: String, _ limits: XMLLimits, chunk: Int = .max) -> [XMLStreamEvent] {
        let parser = XMLStreamParser(limits: limits)
        let bytes = Array((XMLStreamParserTests.header + text + "<next/>").utf8)
        var events: [XMLStreamEvent] = []
        for start in stride(from: 0, to: bytes.count, by: min(chunk, bytes.count)) {
            events += parser.feed(Array(bytes[start..<min(start + min(chunk, bytes.count), bytes.count)]))
        }
        return Array(events.dropFirst())
    }

    private let next = XMLStreamEvent.element(Element("next", namespace: Namespace.client))

    private func forms(_ prefix: String) -> [String] {
        [
            "<\(prefix):a xmlns:\(prefix)='urn:p'/>", "<a xmlns:\(prefix)='urn:p' \(prefix):b='1'/>",
            "<a xmlns:\(prefix)='urn:p'/>", "<a><\(prefix):b xmlns:\(prefix)='urn:p'/></a>",
            "<a><b xmlns:\(prefix)='urn:p' \(prefix):c='1'/></a>", "<a><b><c xmlns:\(prefix)='urn:p'>x</c></b></a>",
        ]
    }

    @Test(
        "one byte over it an element, an attribute and a declaration are skipped; before the login the stream ends",
        arguments: [257, 1000, 5000])
    func over(count: Int) {
        for form in forms(String(repeating: "p", count: count)) {
            for chunk in [67, .max] {
                let events = read(form, .normal, chunk: chunk)
                #expect(events.count == 2)
                guard case .discarded = events.first else { return #expect(Bool(false), "\(events)") }
                #expect(events.last == next)
                #expect(read(form, .beforeLogin, chunk: chunk) == [.failed(StreamError(.policyViolation))])
            }
        }
    }

    @Test("at it they are read")
    func within() {
        for form in forms(String(repeating: "p", count: 256)) {
            for limits in [XMLLimits.normal, .beforeLogin] {
                let events = read(form, limits)
                #expect(events.count == 2)
                guard case .element = events.first else { return #expect(Bool(false), "\(events)") }
            }
        }
    }

    @Test("a header with one ends the stream")
    func header() {
        let prefix = String(repeating: "p", count: 257)
        for limits in [XMLLimits.normal, .beforeLogin] {
            for header in [
                "<\(prefix):stream xmlns='jabber:client' xmlns:\(prefix)='http://etherx.jabber.org/streams'>",
                "<stream xmlns='http://etherx.jabber.org/streams' xmlns:\(prefix)='urn:p'>",
            ] {
                #expect(
                    XMLStreamParser(limits: limits).feed(Array(header.utf8))
                        == [.failed(StreamError(.policyViolation))])
            }
        }
    }
}
