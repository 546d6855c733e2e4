public import XMPPCore

/// The payloads of publish-subscribe (XEP-0060), as far as an account's own nodes need them (XEP-0163).
public enum PubSubPayload {
    /// Most items that are read of one answer or event.
    public static let limit = 100

    /// Publishes an item.
    ///
    /// - Parameters:
    ///   - item: What, under which id.
    ///   - node: Where; it is made where it is not there.
    ///   - options: What the node must be like; a node that is another is an error (`conflict`).
    /// - Returns: The payload of a `set`.
    public static func publish(_ item: PubSubItem, at node: String, options: PublishOptions? = nil) -> Element {
        let publish = Element(
            "publish", namespace: Namespace.pubSub, attributes: [.init("node", node)],
            children: [.element(element(item))])
        var children: [Element.Node] = [.element(publish)]
        if let form = options?.form(Namespace.publishOptions) {
            children.append(
                .element(Element("publish-options", namespace: Namespace.pubSub, children: [.element(form)])))
        }
        return Element("pubsub", namespace: Namespace.pubSub, children: children)
    }

    /// Makes a node that is there what the options say (XEP-0060 section 8.2); only its owner may.
    public static func configure(_ node: String, _ options: PublishOptions) -> Element {
        let configure = Element(
            "configure", namespace: Namespace.pubSubOwner, attributes: [.init("node", node)],
            children: [.element(options.form(Namespace.nodeConfiguration))])
        return Element("pubsub", namespace: Namespace.pubSubOwner, children: [.element(configure)])
    }

    /// Makes a node with that configuration (XEP-0060 section 8.1.3).
    public static func create(_ node: String, _ options: PublishOptions) -> Element {
        let create = Element("create", namespace: Namespace.pubSub, attributes: [.init("node", node)])
        let configure = Element(
            "configure", namespace: Namespace.pubSub, children: [.element(options.form(Namespace.nodeConfiguration))])
        return Element("pubsub", namespace: Namespace.pubSub, children: [.element(create), .element(configure)])
    }

    /// Asks what a node is like (XEP-0060 section 8.2); only its owner may.
    public static func configuration(of node: String) -> Element {
        let configure = Element("configure", namespace: Namespace.pubSubOwner, attributes: [.init("node", node)])
        return Element("pubsub", namespace: Namespace.pubSubOwner, children: [.element(configure)])
    }

    /// Reads what was answered to `configuration`.
    ///
    /// - Parameters:
    ///   - answer: What the result held.
    ///   - node: What was asked for.
    /// - Returns: The filled-in form; nil where it is none, or of another node.
    public static func configuration(in answer: Element?, of node: String) -> DataForm? {
        guard let answer, answer.matches("pubsub", Namespace.pubSubOwner),
            let configure = answer.first("configure", Namespace.pubSubOwner),
            sameBytes(configure[attribute: "node"], node)
        else { return nil }
        return configure.first("x", Namespace.dataForms).flatMap { DataForm($0) }
    }

    /// Asks for items.
    ///
    /// - Parameters:
    ///   - node: Whose.
    ///   - ids: Which ones; none asks for the latest.
    ///   - maximum: How many of the latest at most; nil for all that are kept.
    /// - Returns: The payload of a `get`.
    public static func items(of node: String, ids: [String] = [], maximum: Int? = nil) -> Element {
        var items = Element("items", namespace: Namespace.pubSub, attributes: [.init("node", node)])
        if let maximum { items.attributes.append(.init("max_items", String(maximum))) }
        items.children = ids.map { .element(element(PubSubItem(id: $0, payload: nil))) }
        return Element("pubsub", namespace: Namespace.pubSub, children: [.element(items)])
    }

    /// Takes an item back.
    public static func retract(_ id: String, from node: String) -> Element {
        let retract = Element(
            "retract", namespace: Namespace.pubSub, attributes: [.init("node", node), .init("notify", "true")],
            children: [.element(element(PubSubItem(id: id, payload: nil)))])
        return Element("pubsub", namespace: Namespace.pubSub, children: [.element(retract)])
    }

    /// Reads what was answered to `items`.
    ///
    /// - Parameters:
    ///   - answer: What the result held; nil is an empty result.
    ///   - node: What was asked for: items of another node are not believed.
    /// - Returns: The items in the order of the service; none where nothing is published.
    public static func items(in answer: Element?, of node: String) -> [PubSubItem] {
        guard let answer, answer.matches("pubsub", Namespace.pubSub),
            let items = answer.first("items", Namespace.pubSub), sameBytes(items[attribute: "node"], node)
        else { return [] }
        return items.elements.prefix(limit).filter { $0.matches("item", Namespace.pubSub) }
            .map { PubSubItem(reading: $0) }
    }

    private static func element(_ item: PubSubItem) -> Element {
        Element(
            "item", namespace: Namespace.pubSub, attributes: item.id.map { [.init("id", $0)] } ?? [],
            children: item.payload.map { [.element($0)] } ?? [])
    }
}
