import Testing
import XMPPCore

@Suite("Writing XML")
struct ElementSerializationTests {
    private func write(_ element: Element, inside namespace: String = Namespace.client) -> String {
        String(decoding: element.serialized(inside: namespace), as: UTF8.self)
    }

    @Test("a namespace is declared where it differs from the parent's")
    func namespaces() {
        let query = Element(
            "query",
            namespace: Namespace.roster,
            children: [.element(Element("item", namespace: Namespace.roster))]
        )
        #expect(
            write(IQ(.set, id: "1", payload: query).element)
                == "<iq type='set' id='1'><query xmlns='jabber:iq:roster'><item/></query></iq>"
        )
        #expect(write(query, inside: Namespace.roster) == "<query><item/></query>")
        #expect(write(Element("a", namespace: "")) == "<a xmlns=''/>")
        #expect(
            write(
                Element(
                    "a",
                    namespace: Namespace.client,
                    attributes: [
                        .init("lang", namespace: Namespace.xml, "en"), .init("b", namespace: "urn:b", "1"),
                        .init("b", namespace: "urn:c", "2"),
                    ]
                )
            )
                == "<a xml:lang='en' xmlns:ns0='urn:b' ns0:b='1' xmlns:ns1='urn:c' ns1:b='2'/>"
        )
        #expect(
            write(
                Element("a", namespace: Namespace.xml, children: [.element(Element("b", namespace: Namespace.client))])
            )
                == "<xml:a><b/></xml:a>"
        )
    }

    @Test("no text and no value can leave its element")
    func escaping() {
        let nasty =
            "]]></body><presence type='subscribed'/>&lt;\"'\r\n\t\u{0}\u{1}\u{B}\u{1F}\u{FFFE}\u{FFFF}\u{FFFD}\u{EFFF}\u{10FFFF}"
        let element = Element(
            "body",
            namespace: "urn:'&",
            attributes: [.init("a", nasty)],
            children: [.text(nasty)]
        )
        #expect(
            write(element)
                == "<body xmlns='urn:&apos;&amp;' a=']]&gt;&lt;/body&gt;&lt;presence type=&apos;subscribed&apos;/&gt;&amp;lt;&quot;&apos;&#13;&#10;&#9;\u{FFFD}\u{EFFF}\u{10FFFF}'>"
                + "]]&gt;&lt;/body&gt;&lt;presence type=&apos;subscribed&apos;/&gt;&amp;lt;&quot;&apos;&#13;\n\t\u{FFFD}\u{EFFF}\u{10FFFF}</body>"
        )
    }

    @Test("reading undoes writing, for random elements")
    func roundTrip() {
        var generator = SplitMix(seed: 1)
        for _ in 0..<3000 {
            let element = randomElement(depth: 4, &generator)
            let parser = XMLStreamParser(limits: .normal)
            let bytes = Array(XMLStreamParserTests.header.utf8) + element.serialized(inside: Namespace.client)
            #expect(parser.feed(bytes) == [.opened(XMLStreamParserTests.opened), .element(element)])
        }
    }

    private func randomElement(depth: Int, _ generator: inout SplitMix) -> Element {
        let namespaces = [Namespace.client, "", "urn:a", "urn:b?c=d&e", "urn:'q'", Namespace.streams, Namespace.xml]
        let names = ["a", "b", "message", "\u{E9}", "x-y.z"]
        var element = Element(
            names.randomElement(using: &generator) ?? "a",
            namespace: namespaces.randomElement(using: &generator) ?? ""
        )
        for (index, name) in ["p", "q", "r"].enumerated() where Bool.random(using: &generator) {
            let namespace: String? =
                [nil, "urn:a", "urn:z\(index)", Namespace.xml].randomElement(using: &generator) ?? nil
            element.attributes.append(.init(name, namespace: namespace, randomText(&generator)))
        }
        guard depth > 0 else { return element }
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let text = randomText(&generator)
            if Bool.random(using: &generator) {
                element.children.append(.element(randomElement(depth: depth - 1, &generator)))
            } else if case .text = element.children.last {
                continue
            } else if !text.isEmpty {
                element.children.append(.text(text))
            }
        }
        return element
    }

    private func randomText(_ generator: inout SplitMix) -> String {
        let pieces = [
            "a", " ", "\n", "\r", "\t", "<", ">", "&", "'", "\"", "]]>", "&amp;", "&#38;", "\u{E9}", "e\u{301}",
            "\u{1F600}", "\u{FFFD}",
        ]
        return (0..<Int.random(in: 0...6, using: &generator))
            .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }
}
