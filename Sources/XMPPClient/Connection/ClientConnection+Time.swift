import XMPPCore
import XMPPSession
import XMPPTransport

/// One timer, always at the next moment at which there is something to do.
extension ClientConnection {
    func enter(_ stage: ClientStage) {
        self.stage = stage
        (ownTime, queuedBefore) = (.zero, channel?.timeInQueue ?? .zero)
        stageDeadline = loop.time.now + settings.timeouts.stage
        arm(by: stageDeadline)
        handler(.progressed(stage))
    }

    /// Sees to it that the timer fires by then.
    ///
    /// One that fires earlier looks again, so most changes cost nothing.
    func arm(by deadline: Duration) {
        if let timer {
            guard deadline < timer.due else { return }
            loop.cancel(timer.id)
        }
        let id = loop.schedule(after: max(.zero, deadline - loop.time.now)) { self.timerFired() }
        timer = (id, deadline)
    }

    /// Whether something is out that must be answered may have changed.
    func expectationChanged() {
        if isRequestOut || management?.isAwaitingAnswer == true {
            keepalive.expects(at: loop.turnTime)
            arm(by: keepalive.due)
        } else if keepalive.isExpecting {
            keepalive.expectsNothing()
        }
    }

    private func timerFired() {
        timer = nil
        let now = loop.time.now
        switch phase {
        case .negotiating: negotiationTick(now)
        case .online: onlineTick(now)
        case .closing:
            if let farewellDeadline, now >= farewellDeadline { finish(.stopped) }
        case .idle, .ended: break
        }
        if let due { arm(by: due) }
    }

    private var due: Duration? {
        switch phase {
        case .idle, .ended: nil
        case .negotiating: stageDeadline
        case .closing: farewellDeadline
        case .online:
            [requests?.nextDeadline, management?.requestDue, stallDeadline].reduce(keepalive.due) {
                min($0, $1 ?? $0)
            }
        }
    }

    private func negotiationTick(_ now: Duration) {
        guard now >= stageDeadline else { return }
        let own = takeOwnTime(now)
        stageDeadline += own
        searchDeadline += own
        guard now >= stageDeadline else { return }
        peerFailed(.unreachable("the server did not answer in time while \(stage.rawValue)"))
    }

    /// What this process itself has used of the stage, or waited for, since this was last asked: thousands of logins at
    /// once queue up for handshakes and key derivations, and the server is not to blame for that.
    private func takeOwnTime(_ now: Duration) -> Duration {
        let queued = channel?.timeInQueue ?? .zero
        let own = ownTime + (queued - queuedBefore) + (derivingSince.map { now - $0 } ?? .zero)
        (ownTime, queuedBefore) = (.zero, queued)
        if derivingSince != nil { derivingSince = now }
        return own
    }

    private func onlineTick(_ now: Duration) {
        for reply in requests?.expired(at: now) ?? [] { reply(.noReply) }
        guard phase == .online else { return }
        if let stallDeadline, now >= stallDeadline {
            finish(.lost("the server stopped in the middle of a stanza, or sent it too slowly"), .atOnce)
            return
        }
        if let question = management?.tick(at: now) { write(question) }
        switch keepalive.tick(at: now) {
        case .wait: break
        case .ask: askForSignOfLife()
        case .dead:
            // No closing tag: nobody reads it, and the session can be resumed (RFC 6120 section 4.6.3).
            finish(.lost("the server gave no sign of life"), .atOnce)
        }
    }

    private func askForSignOfLife() {
        if let question = management?.request() {
            observe(.asked("acknowledgement"))
            write(question)
            return
        }
        observe(.asked("ping"))
        let payload = Element("ping", namespace: Namespace.ping)
        // Any reply is a sign of life, an error too (XEP-0199 section 4.2); `keepalive` hears it as bytes. With too many
        // requests outstanding it goes out all the same, and nobody waits for its reply.
        let server = JID(settings.account.server)
        let ping =
            request(.get, to: server, payload, reply: { _ in })
            ?? IQ(.get, to: server, id: ids.next(), payload: payload).element
        send([ping])
    }
}
