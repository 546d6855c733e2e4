/// What an entity is and can do (XEP-0030).
public struct DiscoInfo: Hashable, Sendable {
    /// One of the things that it is.
    public struct Identity: Hashable, Sendable {
        /// The kind, as the registry has it: `client`, `automation`, `conference`.
        public var category: String
        /// The kind within: `bot`, `command-list`, `text`.
        public var type: String
        /// The language of the name; nil where it does not say.
        public var language: String?
        /// A name for people; nil where there is none.
        public var name: String?

        /// An identity.
        public init(_ category: String, _ type: String, language: String? = nil, name: String? = nil) {
            self.category = category
            self.type = type
            self.language = language
            self.name = name
        }
    }

    /// What it is: at least one of an honest entity.
    public var identities: [Identity]
    /// What it can do.
    public var features: [String]
    /// What else it says of itself (XEP-0128).
    public var forms: [DataForm]

    /// What an entity is and can do.
    public init(identities: [Identity], features: [String], forms: [DataForm] = []) {
        self.identities = identities
        self.features = features
        self.forms = forms
    }

    /// Whether it announces a feature.
    public func has(_ feature: String) -> Bool { features.contains { $0.utf8.elementsEqual(feature.utf8) } }

    /// Whether it is of that kind.
    public func isA(_ category: String, _ type: String) -> Bool {
        identities.contains { $0.category.utf8.elementsEqual(category.utf8) && $0.type.utf8.elementsEqual(type.utf8) }
    }
}

/// Something that an entity has (XEP-0030 section 4).
public struct DiscoItem: Hashable, Sendable {
    /// Where it is, as it was written; not every entity writes an address.
    public var jid: String
    /// What it is called there; nil where it is the address itself.
    public var node: String?
    /// A name for people.
    public var name: String?

    /// An item.
    public init(jid: String, node: String? = nil, name: String? = nil) {
        self.jid = jid
        self.node = node
        self.name = name
    }
}
