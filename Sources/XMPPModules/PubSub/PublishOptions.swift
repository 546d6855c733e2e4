import XMPPCore

/// What a publisher demands of a node (XEP-0060 section 7.1.5): who may see it, and what it keeps.
public struct PublishOptions: Hashable, Sendable {
    /// Who may ask for the items and is told of them.
    public enum AccessModel: String, Hashable, Sendable, CaseIterable {
        /// Everybody.
        case open
        /// Whoever may see the account's presence; what a node of an account has where nothing is said.
        case presence
        /// Whom the owner names.
        case whitelist
    }

    /// Who may see it.
    public var accessModel: AccessModel
    /// Whether items are kept for those who ask later.
    public var persistsItems: Bool
    /// How many are kept; nil leaves that to the service, which keeps one where the node is an account's.
    ///
    /// Some services refuse a publication that names it: it was not among the options at first (ejabberd 23.01).
    public var maximumItems: Int?

    /// Demands on a node.
    public init(_ accessModel: AccessModel, persistsItems: Bool = true, maximumItems: Int? = nil) {
        self.accessModel = accessModel
        self.persistsItems = persistsItems
        self.maximumItems = maximumItems
    }

    /// Whether a node's configuration is what is demanded.
    ///
    /// Who may see it must be said; that it keeps items only where the service says something of that.
    public func areMet(by configuration: DataForm) -> Bool {
        guard sameBytes(configuration.value("pubsub#access_model"), accessModel.rawValue) else { return false }
        guard let persists = configuration.value("pubsub#persist_items") else { return true }
        return ["1", "true"].contains { sameBytes($0, persists) } == persistsItems
    }

    /// The filled-in form.
    ///
    /// - Parameter type: The FORM_TYPE: the same fields are preconditions of a publication or the configuration of a node.
    /// - Returns: `<x/>`.
    func form(_ type: String) -> Element {
        var fields = [
            Self.field("FORM_TYPE", type, kind: "hidden"), Self.field("pubsub#access_model", accessModel.rawValue),
            Self.field("pubsub#persist_items", persistsItems ? "1" : "0"),
        ]
        if let maximumItems { fields.append(Self.field("pubsub#max_items", String(maximumItems))) }
        return Element(
            "x", namespace: Namespace.dataForms, attributes: [.init("type", "submit")],
            children: fields.map(Element.Node.element))
    }

    private static func field(_ name: String, _ value: String, kind: String? = nil) -> Element {
        let value = Element("value", namespace: Namespace.dataForms, children: [.text(value)])
        var field = Element(
            "field", namespace: Namespace.dataForms, attributes: [.init("var", name)], children: [.element(value)])
        if let kind { field.attributes.append(.init("type", kind)) }
        return field
    }
}
