public import XMPPClient
public import XMPPCore

/// The account's mirror of its block list (XEP-0191).
///
/// With a `Client` it asks for the list by itself when a session begins; `Client.withModule` looks into it.
public final class BlockingModule: SessionModule {
    /// Most entries that are kept.
    public static let limit = 50_000

    private let account: JID

    /// The blocked addresses.
    public private(set) var blocked: Set<BareJID> = []
    /// Whether the list of this session has arrived; it never does from a server that knows no blocking.
    public private(set) var isLoaded = false

    /// An empty mirror.
    ///
    /// - Parameter account: Whose list it is.
    public init(account: BareJID) {
        self.account = JID(account)
    }

    /// The namespace of XEP-0191.
    public var namespaces: [String] { [Namespace.blocking] }
    /// None: only the server sends requests of it.
    public var features: [String] { [] }

    /// Asks for the list, unless it is there and the session goes on.
    public func began(_ session: ModuleSession) {
        guard !session.isResumed || !isLoaded else { return }
        session.request(.get, BlockingPayload.get()) { [weak self] answer in
            if case .success(let list) = answer { self?.loaded(list) }
        }
    }

    /// The answer to the request for the list.
    public func loaded(_ list: Element?) {
        isLoaded = true
        blocked = Set((list.map(BlockingPayload.addresses) ?? []).prefix(Self.limit))
    }

    /// A push, which only the account itself may send (XEP-0191 section 3.3).
    public func received(request: IQ) -> IQAnswer {
        guard request.from == nil || request.from == account else { return .error(.serviceUnavailable) }
        guard case .set = request.type, let payload = request.payload else { return .error(.badRequest) }
        let addresses = BlockingPayload.addresses(in: payload)
        if payload.matches("block", Namespace.blocking) {
            for jid in addresses where blocked.count < Self.limit { blocked.insert(jid) }
        } else if payload.matches("unblock", Namespace.blocking) {
            // An empty unblock lifts every block (XEP-0191 section 3.4).
            if payload.elements.isEmpty { blocked = [] } else { blocked.subtract(addresses) }
        } else {
            return .error(.badRequest)
        }
        return .result(nil)
    }
}
