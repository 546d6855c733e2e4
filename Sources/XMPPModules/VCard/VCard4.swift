public import XMPPCore

/// A vCard of RFC 6351, as XEP-0292 has it.
///
/// It keeps what it was read from, as ``VCard`` does. A property may stand more than once: the first one is read and changed,
/// the others stay.
public struct VCard4: Hashable, Sendable {
    /// `<vcard/>`, with everything in it.
    public private(set) var element: Element

    /// An empty card.
    public init() {
        element = Element("vcard", namespace: Namespace.vCard4)
    }

    /// Reads one; nil where the element is none.
    public init?(_ element: Element) {
        guard element.matches("vcard", Namespace.vCard4) else { return nil }
        self.element = element
    }

    /// Whether it says nothing.
    public var isEmpty: Bool { element.elements.isEmpty }

    /// The name to show (`fn`).
    public var fullName: String? {
        get { value("fn", "text") }
        set { set("fn", "text", newValue) }
    }

    /// What friends say (`nickname`).
    public var nickname: String? {
        get { value("nickname", "text") }
        set { set("nickname", "text", newValue) }
    }

    /// Something about them (`note`).
    public var note: String? {
        get { value("note", "text") }
        set { set("note", "text", newValue) }
    }

    /// A page of theirs (`url`).
    public var url: String? {
        get { value("url", "uri") }
        set { set("url", "uri", newValue) }
    }

    /// An address of the kind `xmpp:` (`impp`): whatever stands here, and no proof of anything.
    public var address: String? {
        get { value("impp", "uri") }
        set { set("impp", "uri", newValue) }
    }

    /// What it describes (`kind`), such as `individual`; a bot is an `application` (RFC 6473).
    public var kind: String? {
        get { value("kind", "text") }
        set { set("kind", "text", newValue) }
    }

    /// The values of a property that stands more than once.
    ///
    /// - Parameters:
    ///   - property: Such as `email`.
    ///   - type: Of its values, such as `text` or `uri`.
    /// - Returns: At most ``VCard/limit`` values.
    public func values(_ property: String, _ type: String) -> [String] {
        element.elements.lazy.filter { $0.matches(property, Namespace.vCard4) }.prefix(VCard.limit)
            .compactMap { $0.first(type, Namespace.vCard4)?.text }
    }

    private func value(_ property: String, _ type: String) -> String? {
        values(property, type).first.flatMap { $0.isEmpty ? nil : $0 }
    }

    private mutating func set(_ property: String, _ type: String, _ text: String?) {
        guard !sameBytes(value(property, type), text) else { return }
        let index = element.children.firstIndex { node in
            if case .element(let child) = node { child.matches(property, Namespace.vCard4) } else { false }
        }
        guard let text, !text.isEmpty else {
            if let index { element.children.remove(at: index) }
            return
        }
        let value = Element(type, namespace: Namespace.vCard4, children: [.text(text)])
        guard let index, case .element(var old) = element.children[index] else {
            let new = Element(property, namespace: Namespace.vCard4, children: [.element(value)])
            element.children.append(.element(new))
            return
        }
        // Its parameters stay.
        old.children.removeAll { node in
            if case .element(let child) = node { !child.matches("parameters", Namespace.vCard4) } else { true }
        }
        old.children.append(.element(value))
        element.children[index] = .element(old)
    }
}
