import XMPPCore
import XMPPSession
import XMPPTransport

/// What a connection tells.
extension Client {
    func handle(_ event: ClientEvent) {
        switch event {
        case .progressed:
            break
        case .readEnded(let inbound):
            self.inbound = inbound
            sessionChanged()
        case .acknowledged:
            sessionChanged()
        case .established(let session):
            let loss = takeLoss(session.failedResumption)
            loggedIn(session.login.memory, session.token, as: session.jid)
            (remembered.session, remembered.resource, inbound) = (nil, resource, 0)
            endModules()
            router = StanzaRouter(modules: sessionModules())
            tellModules(isResumed: false)
            presence = nil
            if let first = options.presence { send(presence: first.element) }
            loginChanged()
            sessionBegan(.began(session.jid, lost: loss))
        case .resumed(let session):
            inbound = remembered.session?.inbound ?? 0
            loggedIn(session.login.memory, session.token, as: connection?.fullAddress)
            (remembered.session, lost) = (nil, nil)
            // The first session of this process, if it is one of the process before.
            router = router ?? StanzaRouter(modules: sessionModules())
            tellModules(isResumed: true)
            loginChanged()
            if let address { sessionBegan(.resumed(address)) }
        case .overLimits(let request):
            if let answer = router?.refuse(request) { connection?.send([answer]) }
        case .received(let stanza):
            if let answer = router?.route(stanza) { connection?.send([answer]) }
            count(stanzaSink.yield(stanza))
            switch stanza {
            case .message(let message): count(messageSink.yield(message))
            case .presence(let presence): count(presenceSink.yield(presence))
            case .iq: break
            }
        case .nameless:
            // The observer knows.
            break
        case .tokenExpired:
            remembered.token = nil
            loginChanged()
        }
    }

    private func loggedIn(_ memory: LoginMemory, _ token: FASTToken?, as address: JID?) {
        (self.address, onlineSince) = (address, loop.time.now)
        // What was seen once is not forgotten by itself.
        remembered.login.usedStrongMechanism = remembered.usedStrongMechanism || memory.usedStrongMechanism
        remembered.login.usedAnnouncedBinding = remembered.usedAnnouncedBinding || memory.usedAnnouncedBinding
        if let token { remembered.token = token }
    }

    private func count<Element>(_ result: AsyncStream<Element>.Continuation.YieldResult) {
        if case .dropped = result { droppedStanzas += 1 }
    }
}
