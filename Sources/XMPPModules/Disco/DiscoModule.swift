public import XMPPClient
public import XMPPCore

/// Answers what the account is and can do (XEP-0030): to those who may know that it is online.
///
/// Servers ask too, to learn which news of personal eventing to send: Prosody from the account's bare address, ejabberd from
/// the full one. What is announced comes from all modules of the session (`SessionModule.features`); nodes come
/// from those that are ``DiscoNodes``.
public final class DiscoModule: SessionModule {
    private let identities: [DiscoInfo.Identity]
    private let forms: [DataForm]
    private let mayKnow: (BareJID?) -> Bool
    private var session: ModuleSession?

    /// A module.
    ///
    /// - Parameters:
    ///   - identities: What the account is.
    ///   - forms: What else it says of itself (XEP-0128); each needs a hidden `FORM_TYPE` of its own.
    ///   - mayKnow: Whether the sender may know that the account is online (``RosterModule/mayKnow(_:)``); nil is the
    ///     account's server.
    public init(
        identities: [DiscoInfo.Identity] = [DiscoInfo.Identity("client", "bot")], forms: [DataForm] = [],
        mayKnow: @escaping (BareJID?) -> Bool
    ) {
        self.identities = identities
        self.forms = forms
        self.mayKnow = mayKnow
    }

    /// Both namespaces of XEP-0030.
    public var namespaces: [String] { [Namespace.discoInfo, Namespace.discoItems] }

    /// From now on this session is described.
    public func began(_ session: ModuleSession) { self.session = session }

    /// What is announced at this moment.
    public var info: DiscoInfo {
        DiscoInfo(identities: identities, features: session?.announcedFeatures ?? features.sorted(), forms: forms)
    }

    /// Answers.
    public func received(request: IQ) -> IQAnswer {
        guard mayKnow(request.from?.bare) else { return .error(.serviceUnavailable) }
        guard case .get = request.type, let query = request.payload, sameBytes(query.name, "query") else {
            return .error(.badRequest)
        }
        let node = query[attribute: "node"]
        let answer =
            sameBytes(query.namespace, Namespace.discoInfo)
            ? info(node: node, for: request.from).map { DiscoPayload.query($0, node: node) }
            : items(node: node, for: request.from).map { DiscoPayload.query($0, node: node) }
        return answer.map { .result($0) } ?? .error(.itemNotFound)
    }

    private var nodes: [any DiscoNodes] { session?.modules.compactMap { $0 as? any DiscoNodes } ?? [] }

    private func info(node: String?, for sender: JID?) -> DiscoInfo? {
        guard let node, !node.isEmpty else { return info }
        for module in nodes {
            if let info = module.info(node: node, for: sender) { return info }
        }
        return nil
    }

    private func items(node: String?, for sender: JID?) -> [DiscoItem]? {
        guard let node, !node.isEmpty else {
            // None is an empty list, not an error (XEP-0030 section 4.1).
            return nodes.flatMap { $0.items(node: nil, for: sender) ?? [] }
        }
        for module in nodes {
            if let items = module.items(node: node, for: sender) { return items }
        }
        return nil
    }
}
