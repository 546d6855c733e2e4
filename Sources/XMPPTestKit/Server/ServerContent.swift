public import XMPPCore
import XMPPTransport

/// What accounts have published at a `ScriptedServer`: nodes (XEP-0163) and vCards (XEP-0054), of its own accounts and of
/// others.
///
/// ```swift
/// let content = ServerContent()
/// content.publish(payload, id: "1", at: "urn:xmpp:avatar:metadata", of: contact)
/// await server.react(content.reaction)
/// ```
///
/// It answers as servers do for everybody's bare address, and for what an account asks of itself; it sends no events.
public final class ServerContent: Sendable {
    private struct Item {
        var id: String
        var payload: Element
    }

    private struct State {
        var nodes: [BareJID: [String: [Item]]] = [:]
        var vCards: [BareJID: Element] = [:]
        var features: [String] = []
        var hasNodes = false
        var heedsOptions = true
        /// Who may see a node of an account of the server, where it was said.
        var accessModels: [BareJID: [String: String]] = [:]
        var fixedAccess: String?
        var refusedNodes: [String] = []
        var strictNodes: [String] = []
        var refusesVCards = false
        var lastID = 0
    }

    private static let pubSub = "http://jabber.org/protocol/pubsub"
    private static let owner = "http://jabber.org/protocol/pubsub#owner"
    private static let publishOptions = "http://jabber.org/protocol/pubsub#publish-options"
    private static let vCard = "vcard-temp"

    private let state = Locked(State())

    /// Nothing is published.
    public init() {}

    /// What an account's service discovery announces of itself.
    ///
    /// - Parameters:
    ///   - features: What it can do.
    ///   - hasNodes: Whether it says that it has nodes (XEP-0163 section 6).
    ///   - heedsOptions: Whether it knows what publishers demand of nodes. Where it does not, it makes each node for whoever
    ///     may see the account's presence, whatever a publication says.
    public func announce(_ features: [String], hasNodes: Bool = false, heedsOptions: Bool = true) {
        state.withLock { state in
            (state.features, state.hasNodes, state.heedsOptions) = (features, hasNodes, heedsOptions)
            if hasNodes, heedsOptions { state.features.append(Self.publishOptions) }
        }
    }

    /// Who may see a node; nil where there is no such node.
    public func accessModel(of node: String, of jid: BareJID) -> String? {
        state.withLock { $0.nodes[jid]?[node] == nil ? nil : $0.accessModels[jid]?[node] ?? "presence" }
    }

    /// Every node stays for these, whatever it is configured to.
    public func fixAccess(to model: String?) { state.withLock { $0.fixedAccess = model } }

    /// Publishes, as another client of that account; an item of the same id is replaced, and comes last.
    public func publish(_ payload: Element, id: String, at node: String, of jid: BareJID) {
        state.withLock { state in
            state.nodes[jid, default: [:]][node, default: []].removeAll { $0.id == id }
            state.nodes[jid, default: [:]][node, default: []].append(Item(id: id, payload: payload))
        }
    }

    /// Sets a vCard; nil takes it away.
    public func setVCard(_ card: Element?, of jid: BareJID) { state.withLock { $0.vCards[jid] = card } }

    /// A vCard.
    public func vCard(of jid: BareJID) -> Element? { state.withLock { $0.vCards[jid] } }

    /// The payloads at a node, the newest last.
    public func payloads(at node: String, of jid: BareJID) -> [Element] {
        state.withLock { $0.nodes[jid]?[node]?.map(\.payload) ?? [] }
    }

    /// Nodes at which nothing can be published.
    public func refuse(nodes: [String]) { state.withLock { $0.refusedNodes = nodes } }

    /// Nodes that are there and are not what publishers ask, until they are configured.
    public func makeStrict(nodes: [String]) { state.withLock { $0.strictNodes = nodes } }

    /// Whether no vCard can be set.
    public func refuseVCards(_ refuses: Bool = true) { state.withLock { $0.refusesVCards = refuses } }

    /// For `ScriptedServer.react`: answers what is asked of these, and leaves the rest to the server.
    public var reaction: @Sendable (ReceivedElement) -> ScriptedServer.Reaction {
        { [self] in react($0) }
    }

    private func react(_ received: ReceivedElement) -> ScriptedServer.Reaction {
        guard let account = received.account, let iq = IQ(received.element), let payload = iq.payload,
            iq.type == .get || iq.type == .set, iq.to?.resource == nil
        else { return .usual }
        let jid = iq.to?.bare ?? account
        let isSet = iq.type == .set
        guard !isSet || jid == account else { return error(iq, .forbidden) }
        return state.withLock { state in
            if payload.matches("vCard", Self.vCard) {
                guard isSet else { return answer(iq, state.vCards[jid] ?? Element("vCard", namespace: Self.vCard)) }
                guard !state.refusesVCards else { return error(iq, .notAcceptable) }
                state.vCards[jid] = payload
                return answer(iq, nil)
            }
            if payload.matches("query", Namespace.discoInfo), jid == account {
                return answer(iq, Self.info(state))
            }
            if let configure = payload.first("configure", Self.owner), let node = configure[attribute: "node"] {
                return configured(iq, configure, node, jid, isSet, &state)
            }
            guard payload.matches("pubsub", Self.pubSub), let action = payload.elements.first,
                let node = action[attribute: "node"]
            else { return .usual }
            if isSet, action.name == "create" {
                state.nodes[jid, default: [:]][node] = []
                Self.set(payload, at: node, of: jid, &state)
                return answer(iq, nil)
            }
            return pubSub(iq, action, node, jid, isSet, payload, &state)
        }
    }

    private static func info(_ state: State) -> Element {
        let identity = Element(
            "identity", namespace: Namespace.discoInfo,
            attributes: [.init("category", "pubsub"), .init("type", "pep")])
        let features = state.features.map {
            Element("feature", namespace: Namespace.discoInfo, attributes: [.init("var", $0)])
        }
        let children = (state.hasNodes ? [identity] : []) + features
        return Element("query", namespace: Namespace.discoInfo, children: children.map { .element($0) })
    }

    /// Takes what a form beside or in an action says of who may see a node.
    private static func set(_ payload: Element, at node: String, of jid: BareJID, _ state: inout State) {
        let forms = payload.elements.flatMap(\.elements).filter { $0.matches("x", "jabber:x:data") }
        let field = forms.flatMap(\.elements).first { $0[attribute: "var"] == accessField }
        guard let model = field?.elements.first?.text else { return }
        state.accessModels[jid, default: [:]][node] = state.fixedAccess ?? model
    }

    private static let accessField = "pubsub#access_model"

    private func configured(
        _ iq: IQ, _ configure: Element, _ node: String, _ jid: BareJID, _ isSet: Bool, _ state: inout State
    ) -> ScriptedServer.Reaction {
        guard state.nodes[jid]?[node] != nil || state.strictNodes.contains(node) else {
            return error(iq, .itemNotFound)
        }
        guard !isSet else {
            state.strictNodes.removeAll { $0 == node }
            if let payload = iq.payload { Self.set(payload, at: node, of: jid, &state) }
            return answer(iq, nil)
        }
        func field(_ name: String, _ value: String) -> Element.Node {
            let value = Element("value", namespace: "jabber:x:data", children: [.text(value)])
            return .element(
                Element(
                    "field", namespace: "jabber:x:data", attributes: [.init("var", name)], children: [.element(value)]))
        }
        let fields = [
            field(Self.accessField, state.accessModels[jid]?[node] ?? "presence"),
            field("pubsub#persist_items", "true"),
        ]
        let form = Element("x", namespace: "jabber:x:data", attributes: [.init("type", "form")], children: fields)
        let found = Element(
            "configure", namespace: Self.owner, attributes: [.init("node", node)], children: [.element(form)])
        return answer(iq, Element("pubsub", namespace: Self.owner, children: [.element(found)]))
    }

    private func pubSub(
        _ iq: IQ, _ action: Element, _ node: String, _ jid: BareJID, _ isSet: Bool, _ payload: Element,
        _ state: inout State
    ) -> ScriptedServer.Reaction {
        let ids = action.elements.compactMap { $0[attribute: "id"] }
        switch (action.name, isSet) {
        case ("items", false):
            guard let items = state.nodes[jid]?[node] else { return error(iq, .itemNotFound) }
            let wanted = ids.isEmpty ? items : items.filter { ids.contains($0.id) }
            let most = action[attribute: "max_items"].flatMap { Int($0) } ?? wanted.count
            let elements = wanted.suffix(max(most, 0)).map { item in
                Element.Node.element(
                    Element(
                        "item", namespace: Self.pubSub, attributes: [.init("id", item.id)],
                        children: [.element(item.payload)]))
            }
            let found = Element(
                "items", namespace: Self.pubSub, attributes: [.init("node", node)], children: elements)
            return answer(iq, Element("pubsub", namespace: Self.pubSub, children: [.element(found)]))
        case ("publish", true):
            guard !state.refusedNodes.contains(node) else { return error(iq, .notAcceptable) }
            let hasOptions = state.heedsOptions && payload.elements.count > 1
            guard !hasOptions || !state.strictNodes.contains(node) else { return error(iq, .conflict) }
            if hasOptions, state.nodes[jid]?[node] == nil { Self.set(payload, at: node, of: jid, &state) }
            state.lastID += 1
            let id = ids.first ?? "item-\(state.lastID)"
            guard let published = action.elements.first?.elements.first else { return error(iq, .badRequest) }
            state.nodes[jid, default: [:]][node, default: []].removeAll { $0.id == id }
            state.nodes[jid, default: [:]][node, default: []].append(Item(id: id, payload: published))
            return answer(iq, nil)
        case ("retract", true):
            state.nodes[jid]?[node]?.removeAll { ids.contains($0.id) }
            return answer(iq, nil)
        case _:
            return error(iq, .featureNotImplemented)
        }
    }

    private func answer(_ iq: IQ, _ payload: Element?) -> ScriptedServer.Reaction { send(iq.result(payload), iq) }

    private func error(_ iq: IQ, _ condition: StanzaError.Condition) -> ScriptedServer.Reaction {
        send(StanzaError.reply(to: iq, condition: condition), iq)
    }

    private func send(_ answer: Element, _ iq: IQ) -> ScriptedServer.Reaction {
        var answer = answer
        // As servers answer: from whom it was sent to.
        answer[attribute: "from"] = iq.to?.description
        return .send(String(decoding: answer.serialized(inside: Namespace.client), as: UTF8.self))
    }
}
