package import XMPPCore
import XMPPSession
import XMPPTransport

/// What the owner sends.
extension ClientConnection {
    /// Sends stanzas in one write.
    ///
    /// - Returns: The number of the last of them as `ClientEvent.acknowledged` counts; nil without stream management and
    ///   without a session, where nothing is sent.
    @discardableResult
    package func send(_ stanzas: [Element]) -> UInt32? {
        loop.checkIsolated()
        guard phase == .online, !stanzas.isEmpty else { return nil }
        guard management != nil else {
            // Most answers fit: grown step by step, it would be copied at each.
            if outgoing.isEmpty { outgoing.reserveCapacity(500) }
            for stanza in stanzas { stanza.serialized(into: &outgoing, inside: Namespace.client) }
            if !isInEvent { flush() }
            expectationChanged()
            return nil
        }
        var number: UInt32?
        for stanza in stanzas {
            let bytes = stanza.serialized(inside: Namespace.client)
            // Of one that is no element (see `Element`) nothing is sent, so nothing is counted.
            guard !bytes.isEmpty else { continue }
            number = management?.sent(bytes, at: loop.turnTime)
            write(bytes)
        }
        if let question = management?.requestIfMuchIsOut() { write(question) }
        if let due = management?.requestDue { arm(by: due) }
        expectationChanged()
        return number
    }

    /// Asks the server now which stanzas it has handled (`ClientEvent.acknowledged`), instead of after a while.
    ///
    /// - Returns: Whether it will say; false without stream management.
    @discardableResult
    package func requestAcknowledgement() -> Bool {
        loop.checkIsolated()
        guard phase == .online, let management, !management.isRefused else { return false }
        if management.isWaiting, let question = self.management?.requestUnlessOut() { write(question) }
        return true
    }

    /// The effects of the stanzas up to this number are on disk (see `ClientEvent.readEnded`): the server may forget them.
    package func committed(inbound: UInt32) {
        loop.checkIsolated()
        guard phase == .online else { return }
        if let answer = management?.committed(inbound: inbound) { write(answer) }
    }

    /// Makes a request and registers who waits for its reply; the caller sends it, alone or among others.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - recipient: Nil for the account itself.
    ///   - payload: The request.
    ///   - timeout: How long its reply is waited for; nil as the settings say.
    ///   - id: A new one of `nextID()`; nil makes one.
    ///   - reply: Called once, on the loop: with the answer, or `noReply` after the time or with the connection's end.
    /// - Returns: The stanza; nil where there is no session or too much is outstanding, and `reply` was told.
    package func request(
        _ type: IQType, to recipient: JID? = nil, _ payload: Element, timeout: Duration? = nil, id: String? = nil,
        reply: @escaping @Sendable (IQReply) -> Void
    ) -> Element? {
        loop.checkIsolated()
        let id = id ?? ids.next()
        let deadline = loop.time.now + (timeout ?? settings.timeouts.request)
        guard phase == .online,
            requests?.register(to: recipient, id: id, waiter: reply, deadline: deadline) == true
        else {
            reply(.noReply)
            return nil
        }
        arm(by: deadline)
        return IQ(type, to: recipient, id: id, payload: payload).element
    }

    // MARK: Writing

    /// Within an event of the channel it is joined with the rest; otherwise the channel joins what one turn sends.
    func write(_ bytes: [UInt8]) {
        guard isInEvent else {
            channel?.send(bytes)
            return
        }
        if outgoing.isEmpty { outgoing = bytes } else { outgoing += bytes }
    }

    func flush() {
        guard !outgoing.isEmpty else { return }
        channel?.send(outgoing)
        outgoing = []
    }
}
