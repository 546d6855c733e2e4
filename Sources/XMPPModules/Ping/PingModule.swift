public import XMPPClient
public import XMPPCore

/// Answers pings (XEP-0199) of those who may know that the account is online.
///
/// Anybody on the network can send a ping. An answer tells the sender that the account is online at this moment, which
/// else only those know whom the account lets see its presence; so a stranger gets the same refusal as for anything unknown
/// (RFC 6120 section 8.3.3.19). `PingModule { _ in true }` tells everybody: for a service that is always there only.
public final class PingModule: SessionModule {
    private let mayKnow: (BareJID?) -> Bool

    /// A module that answers the account's own server, which asks to find broken links, and the account's own clients.
    ///
    /// - Parameter account: Whose it is.
    public convenience init(account: BareJID) {
        let server = account.server
        self.init { sender in sender == nil || sender == account || sender == server }
    }

    /// A module that answers whom `mayKnow` names, such as those who see the account's presence anyway
    /// (``RosterModule/mayKnow(_:)``).
    ///
    /// - Parameter mayKnow: Whether the sender may know that the account is online. The account's server is nil, or its
    ///   domain.
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
