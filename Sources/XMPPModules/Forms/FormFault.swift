/// What is wrong with a form that was filled in.
public struct FormFault: Error, Hashable, Sendable {
    /// What is wrong, as an open set: compare with the named values.
    public struct Code: Error, Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Nothing where something must be.
        public static let missing = Code(name: "missing")
        /// Neither yes nor no.
        public static let notAFlag = Code(name: "not-a-flag")
        /// No address.
        public static let notAnAddress = Code(name: "not-an-address")
        /// None of the options.
        public static let notAnOption = Code(name: "not-an-option")
        /// More than one value where one may be.
        public static let tooMany = Code(name: "too-many")
        /// The same field again.
        public static let repeated = Code(name: "repeated")
    }

    /// The field's name.
    public var field: String
    /// The field's label, for people.
    public var label: String
    /// What is wrong.
    public var code: Code
}

extension FormFault: CustomStringConvertible {
    /// For people; without what was filled in.
    public var description: String {
        let what =
            switch code {
            case .missing: "must be filled in"
            case .notAFlag: "must be true or false"
            case .notAnAddress: "must be an address"
            case .notAnOption: "must be one of the options"
            case .tooMany: "takes one value"
            case .repeated: "is there twice"
            case _: code.name
            }
        return "\(label) \(what)"
    }
}
