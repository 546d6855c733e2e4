public import XMPPCore

/// What a program sends.
extension Client {
    /// Sends a message.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ message: Message) throws(ClientError) { try send([message.element]) }

    /// Sends a presence.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ presence: Presence) throws(ClientError) { try send([presence.element]) }

    /// Sends stanzas in one write.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ stanzas: [Element]) throws(ClientError) {
        guard let connection, address != nil else { throw .offline }
        connection.send(stanzas)
        sessionChanged()
    }

    /// Asks, and waits for the answer; only an answer with the id and the sender of the request counts.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - recipient: Whom; nil for the account itself.
    ///   - payload: What.
    /// - Returns: What the result holds, if anything.
    /// - Throws: `ClientError`: `offline`, `noReply` after a minute or with the end of the connection, `refused` with the
    ///   condition of the other side.
    @discardableResult
    public func request(
        _ type: IQType, to recipient: JID? = nil, _ payload: Element
    ) async throws(ClientError) -> Element? {
        let reply: IQReply? = await withCheckedContinuation { continuation in
            guard let connection, address != nil else { return continuation.resume(returning: nil) }
            let stanza = connection.request(type, to: recipient, payload) { continuation.resume(returning: $0) }
            connection.send([stanza].compactMap { $0 })
            sessionChanged()
        }
        switch reply {
        case .result(let payload): return payload
        case .error(let error): throw .refused(error)
        case .noReply: throw .noReply
        case nil: throw .offline
        }
    }
}
