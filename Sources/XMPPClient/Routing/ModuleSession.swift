public import XMPPCore
import XMPPTransport

/// A session as its modules see it: they may send in it, and ask.
///
/// It belongs to the isolation of the module that was given it, and ends with the connection; the next one brings another.
public struct ModuleSession {
    /// Our full address.
    public let address: JID
    /// Whether it is the session of before, which goes on (XEP-0198): what a module knows of it still holds.
    public let isResumed: Bool
    let connection: ClientConnection
    /// What the session must be stored with is another: the number of the last stanza that went out.
    private let changed: (UInt32?) -> Void
    private let announcement: () -> Void
    private let router: () -> StanzaRouter?
    var loop: EventLoop { connection.loop }
    var questions: JoinedQuestions? { router()?.questions }
    var time: any TimeSource { connection.loop.time }

    /// - Parameters:
    ///   - connection: Whose session it is.
    ///   - address: Our full address.
    ///   - isResumed: Whether it goes on.
    ///   - changed: Told what went out, as `ClientConnection.send` returns it.
    ///   - announce: Sends the account's presence again.
    ///   - router: That of the session's modules.
    package init(
        _ connection: ClientConnection, address: JID, isResumed: Bool, changed: @escaping (UInt32?) -> Void,
        announce: @escaping () -> Void, router: @escaping () -> StanzaRouter? = { nil }
    ) {
        (self.connection, self.address, self.isResumed) = (connection, address, isResumed)
        (self.changed, announcement, self.router) = (changed, announce, router)
    }

    /// Whether something can be sent at this moment.
    public var isOnline: Bool { connection.isOnline }

    /// The modules of the session, in the order of the router, the asking one among them.
    public var modules: [any SessionModule] { router()?.modules ?? [] }

    /// What all of them announce together (``StanzaRouter/features``), as it is at this moment.
    public var announcedFeatures: [String] { router()?.features ?? [] }

    /// What the server announced; nil where it has not yet: behind a login by SASL2 (XEP-0388) that comes a moment later.
    public var features: StreamFeatures? { connection.streamFeatures }

    /// An id for a stanza, which tells nobody those of others.
    public func makeID() -> String { connection.nextID() }

    /// Sends the account's presence again, since ``SessionModule/presenceExtensions`` are others now.
    ///
    /// Before the session's first presence, and where the account sends none, it does nothing.
    public func announce() { announcement() }

    /// Sends stanzas in one write.
    ///
    /// - Throws: `ClientError.Code.offline` where the connection has ended.
    public func send(_ stanzas: [Element]) throws(ClientError) {
        guard connection.isOnline else { throw .offline }
        changed(connection.send(stanzas))
    }

    /// Asks; only an answer with the id and the sender of the request counts.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - recipient: Whom; nil for the account itself.
    ///   - payload: What.
    ///   - timeout: How long to wait for the answer.
    ///   - reply: Called once, in the module's isolation and maybe before this returns: with what the result holds, or an
    ///     error as `Client.request` throws it.
    public func request(
        _ type: IQType, to recipient: JID? = nil, _ payload: Element, timeout: Duration = Client.requestTimeout,
        reply: @escaping (Result<Element?, ClientError>) -> Void
    ) {
        // The connection calls it on its loop only, which is the isolation of the module.
        nonisolated(unsafe) let reply = reply
        changed(connection.ask(type, to: recipient, payload, timeout: timeout) { reply($0) })
    }
}

@available(*, unavailable)
extension ModuleSession: Sendable {}
