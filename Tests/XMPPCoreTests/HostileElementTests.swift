import Testing
import XMPPCore

/// What is written of elements that are none: whoever made them, no value gets out of its element.
@Suite("Writing hostile elements")
struct HostileElementTests {
    private func write(_ element: Element) -> String {
        String(decoding: element.serialized(inside: Namespace.client), as: UTF8.self)
    }

    private func read(_ text: String) -> [XMLStreamEvent] {
        XMLStreamParser(limits: .normal).feed(Array((XMLStreamParserTests.header + text + "<next/>").utf8))
    }

    private static let badNames = [
        "", "message/><presence type='subscribed' to='eve@x'", "a b", "a>", "a/", "<a", "a'", "a\"", "a=", "a&", "a:b",
        ":",
        "1", "-a", ".a", "a\n", "a\u{0}", "\u{0}", "a\u{FFFE}", "\u{D7}", "\u{37E}", "\u{300}a", "a\u{2190}", "\u{B7}",
        "!--", "?a", "![CDATA[",
    ]

    @Test("an element whose name is none is left out, with all that is in it", arguments: badNames)
    func elementNames(name: String) {
        let bad = Element(
            name, namespace: Namespace.client, children: [.element(Element("b", namespace: Namespace.client))])
        #expect(write(bad) == "")
        let outer = Element(
            "a", namespace: Namespace.client,
            children: [.text("x"), .element(bad), .element(Element("c", namespace: "urn:c")), .text("y")])
        #expect(write(outer) == "<a>x<c xmlns='urn:c'/>y</a>")
    }

    @Test("an attribute whose name is none is left out", arguments: badNames + ["xmlns"])
    func attributeNames(name: String) {
        let element = Element(
            "a", namespace: Namespace.client, attributes: [.init("b", "1"), .init(name, "urn:x"), .init("c", "2")])
        #expect(write(element) == "<a b='1' c='2'/>")
        guard name != "xmlns" else { return }
        let prefixed = Element(
            "a", namespace: Namespace.client,
            attributes: [.init(name, namespace: "urn:n", "1"), .init(name, namespace: Namespace.xml, "1")])
        #expect(write(prefixed) == "<a/>")
    }

    @Test("an attribute's empty namespace is none")
    func emptyNamespace() {
        let element = Element(
            "a", namespace: Namespace.client,
            attributes: [.init("b", namespace: "", "1"), .init("xmlns", namespace: "", "urn:x")])
        #expect(write(element) == "<a b='1'/>")
    }

    @Test("of attributes of one name the first is written")
    func twice() {
        let element = Element(
            "a", namespace: Namespace.client,
            attributes: [
                .init("b", "1"), .init("b", "2"), .init("b", namespace: "", "3"), .init("b", namespace: "urn:b", "4"),
                .init("b", namespace: "urn:b", "5"), .init("b", namespace: "urn:c", "6"),
                .init("lang", namespace: Namespace.xml, "7"), .init("lang", "8"),
                .init("lang", namespace: Namespace.xml, "9"), .init("\u{E9}", "10"), .init("e\u{301}", "11"),
            ])
        #expect(
            write(element)
                == "<a b='1' xmlns:ns0='urn:b' ns0:b='4' xmlns:ns1='urn:c' ns1:b='6' xml:lang='7' lang='8' \u{E9}='10' "
                + "e\u{301}='11'/>")
    }

    @Test(
        "what is in a namespace that nobody can declare is left out",
        arguments: [
            "http://www.w3.org/2000/xmlns/", "a|b", "urn:a b", "urn:a\u{0}", "\u{0}", "urn:a\n", "http://[", "1:2",
            "urn:a#b#c", "urn:a#b&c", "urn:%zz",
        ])
    func namespaces(namespace: String) {
        let bad = Element("b", namespace: namespace)
        let element = Element(
            "a", namespace: Namespace.client, attributes: [.init("c", namespace: namespace, "1"), .init("d", "2")],
            children: [.element(bad)])
        #expect(write(bad) == "")
        #expect(write(element) == "<a d='2'></a>")
    }

    @Test(
        "of random names, namespaces and texts one element is written or nothing, and it reads as what is valid of it")
    func randomElements() {
        var generator = SplitMix(seed: 4)
        for _ in 0..<TestCounts.rounds(usual: 5000, all: 1_000_000) {
            let element = randomElement(depth: 3, &generator)
            let written = write(element)
            let events = read(written)
            let next = XMLStreamEvent.element(Element("next", namespace: Namespace.client))
            guard !written.isEmpty else {
                #expect(events == [.opened(XMLStreamParserTests.opened), next])
                continue
            }
            guard events.count == 3, events.last == next, case .element(let again) = events[1] else {
                Issue.record("\(element) was written as \(written) and read as \(events)")
                return
            }
            #expect(again.matches(element.name, element.namespace))
            // What is left out is left out at once.
            #expect(read(write(again)) == events)
            for attribute in again.attributes {
                #expect(
                    element.attributes.contains {
                        $0.name.utf8.elementsEqual(attribute.name.utf8)
                            && ($0.namespace ?? "").utf8.elementsEqual((attribute.namespace ?? "").utf8)
                    })
            }
        }
    }

    private func randomElement(depth: Int, _ generator: inout SplitMix) -> Element {
        var element = Element(randomName(&generator), namespace: randomNamespace(&generator))
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            let namespace = Bool.random(using: &generator) ? nil : randomNamespace(&generator)
            element.attributes.append(.init(randomName(&generator), namespace: namespace, randomText(&generator)))
        }
        guard depth > 0 else { return element }
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            element.children.append(
                Bool.random(using: &generator)
                    ? .element(randomElement(depth: depth - 1, &generator)) : .text(randomText(&generator)))
        }
        return element
    }

    private func randomName(_ generator: inout SplitMix) -> String {
        let names = ["a", "b", "message", "lang", "xmlns", "xml", "\u{E9}", "x-y.z", "_1"]
        if Int.random(in: 0..<3, using: &generator) > 0 { return names.randomElement(using: &generator) ?? "a" }
        return random(names + Self.badNames, 0...2, &generator)
    }

    private func randomNamespace(_ generator: inout SplitMix) -> String {
        let namespaces = [
            Namespace.client, "", "urn:a", "urn:a&b", "urn:'q'", Namespace.xml, Namespace.streams, "x", "urn:b?c=d#e",
        ]
        if Int.random(in: 0..<4, using: &generator) > 0 { return namespaces.randomElement(using: &generator) ?? "" }
        let pieces = [
            "http://", "urn:", "a", ":", "/", "//", "#", "?", "&", "%41", "%", "[::1]", "@", "1", "\u{E9}", " ", "'",
        ]
        return random(pieces + namespaces + Self.badNames, 0...4, &generator)
    }

    private func randomText(_ generator: inout SplitMix) -> String {
        random(
            ["a", "\u{0}", "\r", "\n", "]]>", "<b/>", "&amp;", "'", "\"", "\u{FFFF}"] + Self.badNames, 0...3, &generator
        )
    }

    private func random(_ pieces: [String], _ count: ClosedRange<Int>, _ generator: inout SplitMix) -> String {
        (0..<Int.random(in: count, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
            .joined()
    }
}
