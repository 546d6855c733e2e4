/// What is fuzzed: each takes any bytes and says what is wrong with what came of them.
///
/// The fuzzers of `Tests/Fuzzing` and the replay of their corpus in `swift test` go through the same functions.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// The stream parser, whole and in pieces.
    case stream
    /// Stanzas, and writing them again.
    case stanza
    /// Addresses.
    case jid
    /// The messages of a login.
    case sasl
    /// The names in a certificate.
    case certificate
    /// What the modules read: rosters, vCards, forms, service discovery, and what else stands in stanzas.
    case modules
    /// A picture, and how its bytes are written.
    case picture

    /// Runs the target.
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: What is wrong; nil where nothing is.
    public func run(_ bytes: [UInt8]) -> String? {
        switch self {
        case .stream: fuzzStream(bytes)
        case .stanza: fuzzStanza(bytes)
        case .jid: fuzzJID(bytes)
        case .sasl: fuzzSASL(bytes)
        case .certificate: fuzzCertificate(bytes)
        case .modules: fuzzModules(bytes)
        case .picture: fuzzPicture(bytes)
        }
    }
}
