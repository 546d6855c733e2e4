/// Why a text is no XMPP address.
public struct JIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as an open set: compare with the named values.
    public struct Code: Hashable, Sendable {
        let name: String

        /// A part that must not be empty is.
        public static let emptyPart = Code(name: "empty part")
        /// A part is over 1023 bytes of UTF-8.
        public static let tooLong = Code(name: "part over 1023 bytes")
        /// A part holds a character that RFC 7622 forbids there.
        public static let forbiddenCharacter = Code(name: "forbidden character")
        /// The domain is no host name, or has more than 253 bytes in A-labels.
        public static let badDomain = Code(name: "not a host name")
    }

    /// The part of an address.
    public enum Part: String, Hashable, Sendable {
        /// Before the `@`.
        case local
        /// The server's name.
        case domain
        /// After the `/`.
        case resource
    }

    /// What is wrong.
    public let code: Code
    /// Where.
    public let part: Part

    package init(_ code: Code, in part: Part) {
        self.code = code
        self.part = part
    }

    /// A short text without the address itself.
    public var description: String { "not an XMPP address: \(code.name) in the \(part.rawValue) part" }
}
