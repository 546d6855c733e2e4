public import XMPPCore
import XMPPTransport

/// What a program sends.
extension Client {
    /// Sends a message.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ message: Message) throws(ClientError) { try send([message.element]) }

    /// Sends a presence; the modules add to an available one without a recipient (``SessionModule/presenceExtensions``).
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ presence: Presence) throws(ClientError) {
        guard isOnline else { throw .offline }
        send(presence: presence.element)
        sessionChanged()
    }

    /// One for all subscribers is kept, to be sent again when what the modules add to it changes.
    func send(presence element: Element) {
        if element[attribute: "to"] == nil {
            presence = element[attribute: "type"] == nil ? element : nil
        }
        connection?.send([router?.completed(element) ?? element])
    }

    /// Sends stanzas in one write; what cannot be written as XML (see `Element`) is left out.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ stanzas: [Element]) throws(ClientError) {
        guard let connection, isOnline else { throw .offline }
        connection.send(stanzas)
        sessionChanged()
    }

    /// How long an answer is waited for where nothing else is said.
    public static let requestTimeout = Duration.seconds(60)

    /// Asks, and waits for the answer; only an answer with the id and the sender of the request counts.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - recipient: Whom; nil for the account itself.
    ///   - payload: What.
    ///   - timeout: How long to wait for the answer.
    /// - Returns: What the result holds, if anything.
    /// - Throws: `ClientError`: `offline` or `busy`, where nothing was sent; `noReply` after `timeout` or with the end of the
    ///   connection, `refused` with the condition of the other side, `cancelled` with the task.
    @discardableResult
    public func request(
        _ type: IQType, to recipient: JID? = nil, _ payload: Element, timeout: Duration = requestTimeout
    ) async throws(ClientError) -> Element? {
        guard let connection, isOnline else { throw .offline }
        let id = connection.nextID()
        let outcome: Result<Element?, ClientError> = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                guard !Task.isCancelled else { return waiter.resume(returning: .failure(.cancelled)) }
                connection.ask(type, to: recipient, payload, timeout: timeout, id: id) { waiter.resume(returning: $0) }
                sessionChanged()
            }
        } onCancel: {
            loop.execute { connection.withdraw(id) }
        }
        if case .failure(let error) = outcome, error.code == .noReply, Task.isCancelled { throw .cancelled }
        return try outcome.get()
    }
}
