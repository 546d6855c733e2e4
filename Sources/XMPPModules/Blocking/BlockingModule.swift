public import XMPPClient
public import XMPPCore

/// The account's mirror of its block list (XEP-0191).
///
/// With a `Client` it asks for the list by itself when a session begins; `Client.withModule` looks into it.
public final class BlockingModule: SessionModule {
    /// What a push changed.
    public enum Change: Hashable, Sendable {
        /// These entries are new.
        case blocked([JID])
        /// These are gone.
        case unblocked([JID])
        /// All are gone.
        case unblockedAll
    }

    private let account: JID
    private let onChange: (Change) -> Void
    private var session: ModuleSession?

    /// The list.
    public private(set) var list = BlockList()
    /// Whether the list of this session has arrived; it never does from a server that knows no blocking.
    public private(set) var isLoaded = false

    /// An empty mirror.
    ///
    /// - Parameters:
    ///   - account: Whose list it is.
    ///   - onChange: Told of each push, when the mirror follows it already.
    public init(account: BareJID, onChange: @escaping (Change) -> Void = { _ in }) {
        self.account = JID(account)
        self.onChange = onChange
    }

    /// The namespace of XEP-0191, and that of the lists that ejabberd keeps it in: it pushes their changes too (XEP-0016
    /// section 2.5), and each push wants its answer.
    public var namespaces: [String] { [Namespace.blocking, Namespace.privacy] }
    /// A client announces neither.
    public var features: [String] { [] }

    /// Whether an entry covers an address.
    public func isBlocked(_ jid: JID) -> Bool { list.isBlocked(jid) }

    /// Whether an entry covers all of a contact, or of a server.
    public func isBlocked(_ jid: BareJID) -> Bool { list.isBlocked(jid) }

    /// Asks for the list, unless it is there and the session goes on.
    public func began(_ session: ModuleSession) {
        self.session = session
        guard !session.isResumed || !isLoaded else { return }
        session.request(.get, BlockingPayload.get()) { [weak self] answer in
            if case .success(let list) = answer { self?.loaded(list) }
        }
    }

    /// Blocks, with a `Client`; the mirror follows by the server's push.
    ///
    /// - Parameters:
    ///   - items: Contacts, resources or domains; at least one.
    ///   - report: Why, for the server's operators.
    ///   - reply: Called once, in the module's isolation.
    public func block(
        _ items: [JID], report: SpamReport? = nil, reply: @escaping (Result<Void, BlockingError>) -> Void
    ) {
        guard !items.isEmpty else { return reply(.success(())) }
        send(BlockingPayload.block(items, report: report), reply)
    }

    /// Lifts the blocks of these, with a `Client`.
    ///
    /// - Parameters:
    ///   - items: As the list has them; with none nothing is done.
    ///   - reply: Called once, in the module's isolation.
    public func unblock(_ items: [JID], reply: @escaping (Result<Void, BlockingError>) -> Void) {
        guard let payload = BlockingPayload.unblock(items) else { return reply(.success(())) }
        send(payload, reply)
    }

    private func send(_ payload: Element, _ reply: @escaping (Result<Void, BlockingError>) -> Void) {
        guard let session else { return reply(.failure(.noReply)) }
        session.request(.set, payload) { answer in
            switch answer {
            case .success: reply(.success(()))
            case .failure(let error): reply(.failure(error.stanzaError.map { .refused($0) } ?? .noReply))
            }
        }
    }

    /// The answer to the request for the list.
    public func loaded(_ list: Element?) {
        isLoaded = true
        self.list = BlockList(list.map(BlockingPayload.items) ?? [])
    }

    /// A push, which only the account itself may send (XEP-0191 section 3.3).
    public func received(request: IQ) -> IQAnswer {
        guard request.from == nil || request.from == account else { return .error(.serviceUnavailable) }
        guard case .set = request.type, let payload = request.payload else { return .error(.badRequest) }
        // The blocking command has a push of its own.
        if payload.matches("query", Namespace.privacy) { return .result(nil) }
        let items = BlockingPayload.items(in: payload)
        if payload.matches("block", Namespace.blocking) {
            follow(.blocked(items))
        } else if payload.matches("unblock", Namespace.blocking) {
            // An empty unblock lifts every block (XEP-0191 section 3.4).
            follow(payload.elements.isEmpty ? .unblockedAll : .unblocked(items))
        } else {
            return .error(.badRequest)
        }
        return .result(nil)
    }

    /// Follows a change: a push, or a command of ours that the server has done.
    package func follow(_ change: Change) {
        switch change {
        case .blocked(let items): for item in items { list.insert(item) }
        case .unblocked(let items): for item in items { list.remove(item) }
        case .unblockedAll: list.removeAll()
        }
        onChange(change)
    }
}
