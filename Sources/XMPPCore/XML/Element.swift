/// An XML element as XMPP uses them: names with namespaces, attributes, and children in order.
///
/// Prefixes are gone: an element is known by its namespace and local name (RFC 6120 section 4.8).
///
/// Any value can be written, and what is written is one element, whatever its names and texts hold, or nothing. Left out are:
///
/// - characters that XML 1.0 cannot hold;
/// - an element with a name that is no XML name without a colon, or with a namespace that is no URI reference, and all that
///   is in it; nothing is sent of such a stanza;
/// - an attribute with such a name or namespace, one named `xmlns` without a namespace, which would be a declaration, and
///   one named as another before it.
public struct Element: Hashable, Sendable {
    /// The local name.
    public var name: String
    /// The namespace; empty where there is none.
    public var namespace: String
    /// The attributes in document order, without namespace declarations.
    public var attributes: [Attribute]
    /// The children in document order.
    public var children: [Node]

    /// An attribute.
    public struct Attribute: Hashable, Sendable {
        /// The local name.
        public var name: String
        /// The namespace; nil, or empty, for the usual attribute without a prefix.
        public var namespace: String?
        /// The value, unescaped.
        public var value: String

        /// An attribute.
        public init(_ name: String, namespace: String? = nil, _ value: String) {
            self.name = name
            self.namespace = namespace
            self.value = value
        }
    }

    /// A child.
    public enum Node: Hashable, Sendable {
        /// A child element.
        case element(Element)
        /// Text, unescaped; neighbours are joined.
        case text(String)
    }

    /// An element.
    public init(
        _ name: String,
        namespace: String,
        attributes: [Attribute] = [],
        children: [Node] = []
    ) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.children = children
    }
}

extension Element {
    /// The value of the attribute without a namespace, or nil where the element has none.
    ///
    /// Setting nil removes it.
    public subscript(attribute name: String) -> String? {
        get { index(ofAttribute: name).map { attributes[$0].value } }
        set {
            switch (index(ofAttribute: name), newValue) {
            case (let at?, let value?): attributes[at].value = value
            case (let at?, nil): attributes.remove(at: at)
            case (nil, let value?): attributes.append(Attribute(name, value))
            case (nil, nil): break
            }
        }
    }

    private func index(ofAttribute name: String) -> Int? {
        for index in attributes.indices where sameBytes(attributes[index].name, name) {
            if attributes[index].namespace == nil { return index }
        }
        return nil
    }

    /// The child elements in order.
    public var elements: [Element] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// All text directly inside, joined.
    public var text: String {
        children.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    }

    /// Whether this is the element of that name and namespace.
    public func matches(_ name: String, _ namespace: String) -> Bool {
        sameBytes(self.name, name) && sameBytes(self.namespace, namespace)
    }

    /// The first child element of that name and namespace.
    public func first(_ name: String, _ namespace: String) -> Element? {
        for case .element(let element) in children where element.matches(name, namespace) { return element }
        return nil
    }
}
