import XMPPCore
import XMPPSession
import XMPPTransport

/// Requests as programs make them.
extension ClientConnection {
    /// The longest that a request may wait: a year.
    private static let longest = Duration.seconds(31_536_000)

    /// Asks.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - recipient: Nil for the account itself.
    ///   - payload: The request.
    ///   - timeout: How long to wait.
    ///   - id: Of `nextID()`, where the request may have to be withdrawn.
    ///   - outcome: Called once, on the loop.
    /// - Returns: What `send` returns of the request.
    @discardableResult
    func ask(
        _ type: IQType, to recipient: JID?, _ payload: Element, timeout: Duration, id: String? = nil,
        outcome: @escaping @Sendable (Result<Element?, ClientError>) -> Void
    ) -> UInt32? {
        guard isOnline else {
            outcome(.failure(.offline))
            return nil
        }
        // Nothing is sent of which no answer could be waited for.
        guard requests?.isFull == false else {
            outcome(.failure(.busy))
            return nil
        }
        let timeout = min(max(timeout, .zero), Self.longest)
        let stanza = request(type, to: recipient, payload, timeout: timeout, id: id) { reply in
            switch reply {
            case .result(let payload): outcome(.success(payload))
            case .error(let error): outcome(.failure(.refused(error)))
            case .noReply: outcome(.failure(.noReply))
            }
        }
        return send([stanza].compactMap { $0 })
    }

    /// An id for a request.
    func nextID() -> String {
        loop.checkIsolated()
        return ids.next()
    }

    /// Nobody wants the answer any more; who waits is told that there is none.
    func withdraw(_ id: String) {
        loop.checkIsolated()
        requests?.withdraw(id: id)?(.noReply)
    }
}
