import XMPPCore
import XMPPCrypto

/// The hash of what an entity is and can do (XEP-0115 section 5, XEP-0390 section 4).
public struct CapsHash: Hashable, Sendable {
    /// By which of the two rules it was made.
    public enum Rule: Hashable, Sendable {
        /// XEP-0115.
        case first
        /// XEP-0390.
        case second
    }

    /// The functions that are known.
    public enum Function: String, Hashable, Sendable, CaseIterable {
        /// Only for XEP-0115.
        case sha1 = "sha-1"
        /// For both.
        case sha256 = "sha-256"
        /// For both.
        case sha512 = "sha-512"
    }

    /// By which rule.
    public let rule: Rule
    /// By which function.
    public let function: Function
    /// The hash in Base64.
    public let text: String

    /// As a peer gave it.
    ///
    /// - Returns: Nil where it is not the Base64 of a hash of that length, or XEP-0390 forbids the function.
    public init?(_ rule: Rule, _ function: Function, _ text: String) {
        guard rule == .first || function != .sha1, text.utf8.count <= 128,
            Base64.decode(text)?.count == function.algorithm.digestLength
        else { return nil }
        (self.rule, self.function, self.text) = (rule, function, text)
    }

    /// Of what an entity is and can do.
    ///
    /// - Returns: Nil where that is ill-formed: nothing honest has this hash.
    public init?(_ rule: Rule, _ function: Function, of info: DiscoInfo) {
        let input: [UInt8]? =
            switch rule {
            case .first: CapsInput.first(info)
            case .second: CapsInput.second(info)
            }
        guard let input, rule == .first || function != .sha1 else { return nil }
        (self.rule, self.function) = (rule, function)
        text = Base64.encode(digest(function.algorithm, input))
    }

    /// The node that XEP-0390 asks for it.
    var node: String { "\(Namespace.caps2)#\(function.rawValue).\(text)" }
}

extension CapsHash.Function {
    var algorithm: HashAlgorithm {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }

    /// Reads the name of a function; nil where it is not known.
    init?(named name: String) {
        guard let found = Self.allCases.first(where: { sameBytes($0.rawValue, name) }) else { return nil }
        self = found
    }
}
