public import XMPPClient
public import XMPPCore

/// Answers pings (XEP-0199) of those who may know that the account is online.
///
/// A stranger gets the same refusal as for anything unknown, so that a ping tells nobody of our presence
/// (RFC 6120 section 8.3.3.19).
public final class PingModule: XMPPModule {
    private let mayKnow: (BareJID?) -> Bool

    /// A module.
    ///
    /// - Parameter mayKnow: Whether the sender may know that the account is online; nil is the account's server.
    public init(mayKnow: @escaping (BareJID?) -> Bool) {
        self.mayKnow = mayKnow
    }

    /// The namespace of XEP-0199.
    public var namespaces: [String] { [Namespace.ping] }

    /// Answers.
    public func received(request: IQ) -> IQAnswer {
        guard mayKnow(request.from?.bare) else { return .error(.serviceUnavailable) }
        guard case .get = request.type else { return .error(.badRequest) }
        return .result(nil)
    }
}
