import Testing
import XMPPCore
import XMPPModules

/// The payloads of nodes.
@Suite struct PubSubTests {
    private let node = "urn:example:node"
    private let payload = Element("x", namespace: "urn:example:x")

    private func event(from: String?, _ children: Element..., type: MessageType = .headline) throws -> Message {
        let event = Element("event", namespace: Namespace.pubSubEvent, children: children.map(Element.Node.element))
        var element = Message(type, to: JID(.bot), children: [event]).element
        element[attribute: "from"] = from
        return try #require(Message(element))
    }

    private func items(_ children: Element...) -> Element {
        Element(
            "items", namespace: Namespace.pubSubEvent, attributes: [.init("node", node)],
            children: children.map(Element.Node.element))
    }

    private func item(_ id: String) -> Element {
        Element(
            "item", namespace: Namespace.pubSubEvent,
            attributes: [.init("id", id), .init("publisher", "eve@example.net")],
            children: [.element(payload)])
    }

    @Test(
        "an event is its sender's, a bare address or the account; of anybody else it is none",
        arguments: [
            ("ann@example.org", BareJID.ann), ("ANN@example.org", .ann), (nil, .bot), ("bot@example.org", .bot),
            ("ann@example.org/x", nil), ("bot@example.org/y", nil),
        ] as [(String?, BareJID?)])
    func senders(from: String?, publisher: BareJID?) throws {
        let event = PubSubEvent(try event(from: from, items(item("1"))), to: .bot)
        #expect(event?.publisher == publisher)
        if publisher != nil { #expect(event?.change == .published([PubSubItem(id: "1", payload: payload)])) }
    }

    @Test("items that go, and nodes that go, are told; an error is no event")
    func changes() throws {
        let retract = Element("retract", namespace: Namespace.pubSubEvent, attributes: [.init("id", "1")])
        #expect(PubSubEvent(try event(from: "ann@example.org", items(retract)), to: .bot)?.change == .retracted(["1"]))
        for name in ["purge", "delete"] {
            let gone = Element(name, namespace: Namespace.pubSubEvent, attributes: [.init("node", node)])
            #expect(PubSubEvent(try event(from: "ann@example.org", gone), to: .bot)?.change == .emptied)
        }
        #expect(PubSubEvent(try event(from: "ann@example.org", items(item("1")), type: .error), to: .bot) == nil)
        #expect(PubSubEvent(try event(from: "ann@example.org", items()), to: .bot) == nil)
    }

    @Test("answers are read for the node that was asked for, within a bound")
    func answers() {
        func answer(_ name: String, count: Int) -> Element {
            let items = Element(
                "items", namespace: Namespace.pubSub, attributes: [.init("node", name)],
                children: (0..<count).map {
                    .element(Element("item", namespace: Namespace.pubSub, attributes: [.init("id", "\($0)")]))
                })
            return Element("pubsub", namespace: Namespace.pubSub, children: [.element(items)])
        }
        #expect(PubSubPayload.items(in: answer(node, count: 2), of: node).map(\.id) == ["0", "1"])
        #expect(PubSubPayload.items(in: answer("urn:other", count: 2), of: node).isEmpty)
        #expect(PubSubPayload.items(in: answer(node, count: 500), of: node).count == PubSubPayload.limit)
        #expect(PubSubPayload.items(in: nil, of: node).isEmpty)
    }

    @Test("what a publisher demands stands beside what is published, and configures a node in the same words")
    func options() throws {
        let options = PublishOptions(.open, maximumItems: 1)
        let published = PubSubPayload.publish(PubSubItem(id: "1", payload: payload), at: node, options: options)
        func fields(_ form: Element?) -> [String: String] {
            (form?.elements ?? []).reduce(into: [:]) { $0[$1[attribute: "var"] ?? ""] = $1.elements.first?.text }
        }
        let form = published.first("publish-options", Namespace.pubSub)?.elements.first
        let common = ["pubsub#access_model": "open", "pubsub#persist_items": "1", "pubsub#max_items": "1"]
        #expect(fields(form) == common.merging(["FORM_TYPE": Namespace.publishOptions]) { $1 })
        let configured = PubSubPayload.configure(node, options).first("configure", Namespace.pubSubOwner)
        #expect(fields(configured?.elements.first) == common.merging(["FORM_TYPE": Namespace.nodeConfiguration]) { $1 })
        #expect(PubSubPayload.publish(PubSubItem(id: nil, payload: nil), at: node).elements.count == 1)
        #expect(PubSubPayload.retract("1", from: node).elements.first?[attribute: "notify"] == "true")
    }
}
