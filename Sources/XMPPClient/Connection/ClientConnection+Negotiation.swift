import XMPPCore
import XMPPSession
import XMPPTransport

/// From the channel's first event to the bound address.
extension ClientConnection {
    func channelReported(_ event: ChannelEvent) {
        loop.checkIsolated()
        switch event {
        case .attempted(let step):
            observe(.step(step))
            if case .reached(let address, _) = step { reachedAddress = address }
            if route.isForbidden(step) { peerFailed(.unreachable("the server sent us on into a private network")) }
        case .connected:
            guard phase == .negotiating else { return }
            enter(.securing)
            perform(negotiation.connected())
        case .secured(let summary):
            guard phase == .negotiating else { return }
            observe(.secured(summary))
            hasResumedOldTLS = summary.isResumed && summary.versionNumber <= 0x0303
            parser = XMLStreamParser(limits: .beforeLogin, pool: loop.shared { XMLContextPool() })
            // With direct TLS (XEP-0368) there was no plain stream.
            let isDirect = stage == .connecting
            enter(.authenticating)
            let security = ChannelSecurity(summary)
            perform(isDirect ? negotiation.securedDirectly(security) : negotiation.secured(security))
        case .received(let bytes):
            received(bytes)
        case .writable:
            break
        case .closed(let closure):
            channelClosed()
            closed(closure)
            resumeIfOver()
        }
    }

    private func closed(_ closure: ChannelClosure) {
        switch closure {
        case .endOfStream:
            peerFailed(.lost("the server closed the connection"))
        case .local:
            finish(.stopped)
        case .failed(let error) where stage == .online:
            finish(.lost(error.description), .silently)
        case .failed(let error) where error.code == .serviceNotOffered:
            peerFailed(.notOffered(error.description), error)
        case .failed(let error):
            peerFailed(.unreachable(error.description), error)
        }
    }

    /// Nobody answered, or somebody who has not shown that it is the server: the next address, where there is one.
    ///
    /// The server has shown it once it has said something within TLS; its own refusals are the same at each address, and
    /// end the connection. What each address must show is the same, so that nobody on the way gains by failing us there.
    ///
    /// - Parameters:
    ///   - cause: What ends the connection where it is the last address.
    ///   - error: The channel's, where it is that.
    func peerFailed(_ cause: SessionEnd.Cause, _ error: TransportError? = nil) {
        guard phase == .negotiating, !negotiation.hasServerSpoken else { return finish(cause, .silently) }
        let isOfCertificate = error?.isOfCertificate == true
        if failure == nil || (isOfCertificate && failure?.isOfCertificate == false) {
            failure = (cause, isOfCertificate)
        }
        guard !passOver(cause, error) else { return }
        guard route.fallBack() else { return finish(failure?.cause ?? cause) }
        failure = nil
        startOver()
    }

    private func passOver(_ cause: SessionEnd.Cause, _ error: TransportError?) -> Bool {
        guard passedOver < Self.passes, loop.time.now < searchDeadline, let address = reachedAddress,
            let next = channel?.passOver(handler: reporter(of: attempt + 1))
        else { return false }
        passedOver += 1
        observe(.passedOver(address, SessionEnd(cause), error))
        startOver(by: next)
        return true
    }

    /// The server is found: whatever it says now, no other address is wanted.
    private func settle() {
        channel?.settle()
        (reachedAddress, failure) = (nil, nil)
    }

    /// Another address, with nothing left of this attempt but what was said last.
    func startOver(by next: (any Channel)? = nil) {
        flush()
        channel?.close()
        (channel, derivingSince, reachedAddress) = (nil, nil, nil)
        parser = XMLStreamParser(limits: .beforeLogin)
        askedBefore = hasAskedToResume
        negotiation = Self.negotiation(settings, pendingResumption, at: loop.time.wallMilliseconds / 1000)
        connect(by: next)
    }

    func perform(_ actions: [NegotiationAction]) {
        for action in actions {
            guard phase == .negotiating else { return }
            switch action {
            case .send(let bytes):
                write(bytes)
            case .startTLS:
                // White space or half a tag behind the go-ahead makes no event, but is plain text all the same: somebody
                // on the way may have put it there (RFC 6120 section 5.4.3.3).
                guard parser.unconsumedBytes == 0 else {
                    return failed(.plaintextAfterStartTLS)
                }
                flush()
                channel?.startTLS(security)
            case .resetParser:
                parser.reset()
            case .derive(let derivation):
                derive(derivation)
            case .raiseLimits:
                parser.limits = .normal
                settle()
                enter(.binding)
            case .established(let session):
                established(session)
            case .resumed(let session):
                resumed(session)
            case .forgetToken:
                handler(.tokenExpired)
            case .observed(let step):
                if case .chose(_, let binding, _) = step {
                    isBoundByUnique = binding.map { sameBytes($0, ChannelBindingType.unique.rawValue) } ?? false
                }
                observe(.negotiated(step))
            case .fail(let error):
                failed(error)
            }
        }
    }

    private func failed(_ error: SessionError) {
        if error.code == .authenticationFailed, let derivationKey { settings.keys.remove(derivationKey) }
        if error.code == .authenticationFailed, hasResumedOldTLS, isBoundByUnique {
            // On a resumed session of TLS 1.2 the two sides may take tls-unique from different ends (RFC 5929 section 3;
            // Prosody does): a whole handshake tells that from somebody in between.
            resumesTLS = false
            settle()
            return startOver()
        }
        guard let redirect = error.redirect else {
            // What stays wrong is wrong with the account, wherever it asks.
            return error.retry == .retry ? peerFailed(.session(error)) : finish(.session(error))
        }
        settle()
        if let refusal = follow(redirect) { finish(refusal) } else { startOver() }
    }

    /// The server sends us on.
    ///
    /// - Returns: Nil where `route` leads there now; else why it is not followed.
    private func follow(_ redirect: Redirection) -> SessionEnd.Cause? {
        let next = ServerAddress(redirect)
        if let refusal = route.follow(next) {
            return .unreachable("the server sent us on to another host, and that is not followed: \(refusal)")
        }
        observe(.redirected(next))
        return nil
    }

    /// The stream of a session ended with an error.
    ///
    /// A session ends with its stream, so where the server sends us on, the next one is another connection's: what the
    /// owner had of this one is over.
    func sessionFailed(_ error: SessionError) {
        guard phase == .online, let redirect = error.redirect else { return finish(.session(error)) }
        if let refusal = follow(redirect) { return finish(refusal) }
        end = SessionEnd(.session(error), route: route)
        finish(.session(error))
    }

    private func derive(_ derivation: SCRAMDerivation) {
        let key = derivation.cacheKey(under: settings.keys.secret)
        derivationKey = key
        if let keys = settings.keys[key] {
            // The login goes on in this turn.
            perform(negotiation.derived(keys))
            return
        }
        // Unstructured: thousands of hash rounds must not hold the loop, and this runs in a callback of the loop. The
        // result comes back as one more event; a connection that ended meanwhile ignores it.
        let attempt = attempt
        derivingSince = loop.time.now
        Task(executorPreference: loop) {
            let keys = try? await BlockingPool.run { derivation.deriveKeys() }
            self.loop.execute {
                guard attempt == self.attempt, self.phase == .negotiating, let keys else { return }
                self.derivationEnded()
                self.settings.keys.insert(keys, for: key)
                self.perform(self.negotiation.derived(keys))
            }
        }
    }

    private func derivationEnded() {
        guard let since = derivingSince else { return }
        derivingSince = nil
        ownTime += loop.time.now - since
    }

    // MARK: Bound

    private func established(_ session: EstablishedSession) {
        pendingResumption = nil
        online(Identity(session))
        guard !settings.endsAfterBinding else { return look(at: session) }
        observe(.established(session))
        if let start = session.streamManagement {
            // Enabled with the login (XEP-0386 section 4): both sides count from here.
            management = StreamManagement(start, pause: settings.timeouts.acknowledgement)
            identity?.features = session.features
            observe(.managed(start))
        } else {
            enableManagement(session.features)
        }
        handler(.progressed(.online))
        handler(.established(session))
    }

    /// Asks for stream management where it is offered, in front of everything that is to count: it costs no round trip.
    func enableManagement(_ features: Element) {
        guard management == nil, features.first("sm", Namespace.streamManagement) != nil else { return }
        management = StreamManagement(pause: settings.timeouts.acknowledgement)
        identity?.features = features
        write(StreamManagement.enable)
    }

    private func resumed(_ session: ResumedSession) {
        guard let old = pendingResumption else {
            return finish(.session(.streamError(StreamError(.undefinedCondition))))
        }
        pendingResumption = nil
        online(Identity(old))
        var management = StreamManagement(
            resuming: StreamManagementStart(id: old.id, location: old.location, maximum: old.maximum),
            inbound: old.inbound, outbound: old.outbound, acknowledged: old.acknowledged,
            unacknowledged: old.unacknowledged, mayHaveSentMore: old.mayHaveSentMore,
            pause: settings.timeouts.acknowledgement)
        let actions = management.resumed(handled: session.handled, at: loop.time.now)
        self.management = management
        // A count that cannot be is nothing to go on with, and the owner is not told that it went on.
        for case .fail(let error, let farewell) in actions { return perform(.fail(error, farewell: farewell)) }
        // What is sent again goes first, whatever the owner sends now.
        for case .send(let stanza) in actions { write(stanza) }
        expectationChanged()
        observe(.resumed(session))
        handler(.progressed(.online))
        handler(.resumed(session))
        for action in actions {
            if case .send = action { continue }
            perform(action)
        }
    }

    private func online(_ identity: Identity) {
        phase = .online
        stage = .online
        self.identity = identity
        parser.limits = .normal
        requests = IQTable(account: identity.jid)
        arm(by: keepalive.due)
    }
}

extension ChannelSecurity {
    init(_ summary: TLSSummary) {
        var bindings: [ChannelBindingType: [UInt8]] = [:]
        bindings[.exporter] = summary.bindings.exporter
        bindings[.unique] = summary.bindings.unique
        bindings[.serverEndPoint] = summary.bindings.serverEndPoint
        self.init(
            tlsVersion: summary.versionNumber == 0 ? nil : summary.versionNumber, bindings: bindings,
            showedCertificate: summary.showedCertificate)
    }
}
