import XMPPClient
import XMPPCore
import XMPPModules

/// What came of something that an operator wanted done at once.
package enum OrderOutcome: Hashable, Sendable {
    /// The server did it.
    case done
    /// The account has no session at the moment.
    case offline
    /// The server does not announce it.
    case notOffered
    /// The server refused: its condition in words.
    case refused(String)
    /// The link broke, or the server did not answer: it may have been done.
    case noReply

    /// For logs and for `--json`.
    package var word: String {
        switch self {
        case .done: "done"
        case .offline: "offline"
        case .notOffered: "not_offered"
        case .refused: "refused"
        case .noReply: "no_reply"
        }
    }
}

extension AccountSession {
    /// A request to the server that somebody waits for.
    struct Order {
        let payload: Element
        /// Nil for the account itself.
        let to: JID?
        /// Called once.
        let answer: (IQReply) -> Void
    }
}

/// Requests that operators wait for. They are not kept over the end of a link: who waits is told so.
extension Account {
    /// Sends a request to the account's own server behind all that is to be sent before it.
    ///
    /// - Parameters:
    ///   - payload: A `set`.
    ///   - session: The present session.
    /// - Returns: What came of it.
    func order(_ payload: Element, in session: AccountSession) async -> OrderOutcome {
        switch await orderedReply(payload, in: session) {
        case nil: .offline
        case .result?: .done
        case .error(let error)?: .refused("\(error)")
        case .noReply?: .noReply
        }
    }

    /// The same, with all that was answered, of the account itself where nobody else is named; nil where it has no session.
    func orderedReply(_ payload: Element, to: JID? = nil, in session: AccountSession) async -> IQReply? {
        await withCheckedContinuation { continuation in
            guard session === self.session, session.connection.isOnline else {
                return continuation.resume(returning: nil)
            }
            session.lastOrder += 1
            session.orders[session.lastOrder] = AccountSession.Order(payload: payload, to: to) {
                continuation.resume(returning: $0)
            }
            send([.order(session.lastOrder)], in: session)
        }
    }

    /// The stanza of an order whose turn it is; nil where nobody waits for it any more.
    func stanza(ofOrder number: Int, in session: AccountSession) -> Element? {
        guard let order = session.orders[number] else { return nil }
        return session.connection.request(
            .set, to: order.to, order.payload,
            reply: onLoop(session) { _, reply, session in
                session.orders.removeValue(forKey: number)?.answer(reply)
            })
    }

    /// The link is gone, and with it the answers.
    func endOrders(of session: AccountSession) {
        let orders = session.orders.values
        session.orders = [:]
        for order in orders { order.answer(.noReply) }
        for contact in Array(session.askWaiters.keys) { answered(contact, in: session) }
    }
}
