/// A field of a form (XEP-0004 section 3.2).
public struct FormField: Hashable, Sendable {
    /// What a field holds.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Yes or no.
        case boolean
        /// A text that is only shown.
        case fixed
        /// Not shown, and given back as it is.
        case hidden
        /// Several addresses.
        case jidMulti = "jid-multi"
        /// An address.
        case jidSingle = "jid-single"
        /// Some of the options.
        case listMulti = "list-multi"
        /// One of the options.
        case listSingle = "list-single"
        /// Lines, one a value.
        case textMulti = "text-multi"
        /// A line that is not shown while it is typed.
        case textPrivate = "text-private"
        /// A line; also what an unknown kind is taken for.
        case textSingle = "text-single"

        /// Whether it may have more than one value.
        public var takesSeveral: Bool {
            switch self {
            case .jidMulti, .listMulti, .textMulti, .hidden, .fixed: true
            case .boolean, .jidSingle, .listSingle, .textPrivate, .textSingle: false
            }
        }
    }

    /// One of the values that a list offers.
    public struct Option: Hashable, Sendable {
        /// What is sent.
        public var value: String
        /// What is shown; nil shows the value.
        public var label: String?

        /// An option.
        public init(_ value: String, label: String? = nil) {
            self.value = value
            self.label = label
        }
    }

    /// Its name (`var`); nil only where it is `fixed`.
    public var name: String?
    /// What it holds; nil where the form does not say, as a submitted one need not.
    public var kind: Kind?
    /// What is shown beside it.
    public var label: String?
    /// What is said about it.
    public var explanation: String?
    /// Whether it must be filled in.
    public var isRequired: Bool
    /// Its values, or those it begins with.
    public var values: [String]
    /// What a list offers.
    public var options: [Option]

    /// A field.
    public init(
        _ name: String?, _ kind: Kind? = nil, label: String? = nil, explanation: String? = nil,
        isRequired: Bool = false, values: [String] = [], options: [Option] = []
    ) {
        self.name = name
        self.kind = kind
        self.label = label
        self.explanation = explanation
        self.isRequired = isRequired
        self.values = values
        self.options = options
    }

    /// The first value.
    public var value: String? { values.first }

    /// The value of a `boolean`; nil where it is none of the four words (XEP-0004 section 3.3).
    public var flag: Bool? { values.first.flatMap(Self.flag) }

    /// What `true`, `false`, `1` and `0` mean.
    static func flag(_ word: String) -> Bool? {
        switch Array(word.utf8) {
        case Array("1".utf8), Array("true".utf8): true
        case Array("0".utf8), Array("false".utf8): false
        case _: nil
        }
    }
}

extension FormField {
    /// A line.
    public static func text(_ name: String, _ label: String, _ value: String? = nil, isRequired: Bool = false) -> Self {
        FormField(name, .textSingle, label: label, isRequired: isRequired, values: value.map { [$0] } ?? [])
    }

    /// Lines.
    public static func lines(_ name: String, _ label: String, _ lines: [String] = [], isRequired: Bool = false) -> Self
    {
        FormField(name, .textMulti, label: label, isRequired: isRequired, values: lines)
    }

    /// Yes or no.
    public static func flag(_ name: String, _ label: String, _ value: Bool) -> Self {
        FormField(name, .boolean, label: label, values: [value ? "true" : "false"])
    }

    /// One of some options.
    public static func choice(
        _ name: String, _ label: String, _ options: [Option], _ value: String? = nil, isRequired: Bool = false
    ) -> Self {
        FormField(
            name, .listSingle, label: label, isRequired: isRequired, values: value.map { [$0] } ?? [], options: options)
    }

    /// An address.
    public static func address(_ name: String, _ label: String, isRequired: Bool = false) -> Self {
        FormField(name, .jidSingle, label: label, isRequired: isRequired)
    }

    /// A text between the fields.
    public static func note(_ text: String) -> Self { FormField(nil, .fixed, values: [text]) }

    /// A value that comes back as it is.
    public static func hidden(_ name: String, _ value: String) -> Self { FormField(name, .hidden, values: [value]) }
}
