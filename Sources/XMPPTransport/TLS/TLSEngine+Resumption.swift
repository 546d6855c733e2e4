import COpenSSL

/// Taking up sessions of before, and keeping new ones.
extension TLSEngine {
    /// Where this connection's sessions are kept.
    struct Resumption {
        let cache: TLSSessionCache
        let key: TLSSessionCache.Key
        /// What was offered to the server.
        fileprivate(set) var offered: TLSSession?
        /// What OpenSSL gave and is not kept yet: first it must be known that the handshake is good.
        fileprivate var fresh: OpaquePointer?
        /// Until when this handshake's verification is relied upon.
        fileprivate var trustedUntil: Int64?
        /// The place in the cache.
        fileprivate var kept: UInt64?

        init?(_ settings: TLSSettings) {
            guard settings.context.role == .client, let cache = settings.sessions, !settings.peer.isEmpty else {
                return nil
            }
            self.cache = cache
            key = TLSSessionCache.Key(settings)
        }
    }

    /// Offers a session of before, if there is one: before the handshake.
    func offerSession() {
        guard let session = resumption.flatMap({ $0.cache.take($0.key) }), SSL_set_session(ssl, session.pointer) == 1
        else { return }
        resumption?.offered = session
    }

    /// Looks at a handshake in which no certificate was shown.
    func judgeResumed() -> TransportError? {
        guard role == .client, SSL_session_reused(ssl) == 1 else { return nil }
        guard let resumption, let offered = resumption.offered else {
            return TransportError(.tlsFailed, "the server resumed a session that was not offered")
        }
        let isGood = verification.judgeResumed(
            SSL_get0_peer_certificate(ssl),
            verdict: SSL_get_verify_result(ssl),
            validUntil: offered.trustedUntil,
            now: resumption.cache.now
        )
        if isGood { showedCertificate = offered.showedCertificate }
        return isGood ? nil : verification.error
    }

    /// From OpenSSL's callback: with TLS 1.3 at any time behind the handshake, with TLS 1.2 within it.
    /// - Returns: whether the reference was taken over.
    fileprivate func takeFresh(_ session: OpaquePointer) -> Bool {
        guard resumption != nil else { return false }
        if let old = resumption?.fresh { SSL_SESSION_free(old) }
        resumption?.fresh = session
        return true
    }

    var hasFreshSession: Bool { resumption?.fresh != nil }

    /// Hands what OpenSSL gave to the cache: behind a handshake that was good.
    func keepSession() {
        guard var resumption, isSecured else { return }
        var session: TLSSession?
        let isResumed = SSL_session_reused(ssl) == 1
        // Reckoned once: tickets may come much later. A resumed session has what is left of the first one's.
        let trustedUntil =
            resumption.trustedUntil
            ?? (isResumed
                ? verification.validUntil : resumption.cache.trust(certificatesUntil: verification.validUntil))
        resumption.trustedUntil = trustedUntil
        if let fresh = resumption.fresh {
            resumption.fresh = nil
            let given = TLSSession(fresh, trustedUntil: trustedUntil, showedCertificate: showedCertificate)
            if isWorthKeeping { session = given }
        } else if isResumed, resumption.kept == nil, SSL_version(ssl) < TLS1_3_VERSION {
            // With TLS 1.2 a session serves again; with TLS 1.3 it does once.
            session = resumption.offered
        }
        resumption.offered = nil
        if let session {
            resumption.kept = resumption.cache.keep(session, for: resumption.key, replacing: resumption.kept)
        }
        self.resumption = resumption
    }

    /// RFC 7627 5.2: without the extended master secret a session must not be resumed.
    private var isWorthKeeping: Bool {
        SSL_version(ssl) >= TLS1_3_VERSION || shim_ssl_has_extended_master_secret(ssl) == 1
    }

    /// The handshake came to nothing though the server answered: the next one must not depend on a session, nor on what a
    /// certificate of before was worth.
    func forgetSessions() {
        guard let resumption, !isSecured, sawFirstByte else { return }
        if resumption.offered != nil || verification.refusal != nil { resumption.cache.forget(resumption.key) }
    }

    /// Before the connection is freed.
    func releaseSession() {
        forgetSessions()
        if let fresh = resumption?.fresh { SSL_SESSION_free(fresh) }
        // A connection that was cut is no reason not to resume its session (RFC 5246 7.2.1), but OpenSSL takes it for one.
        if isSecured { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
    }
}

/// OpenSSL's callback for a new session.
///
/// A global function: a closure literal would inherit the isolation of its place.
func takeNewSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let ssl, let session, let engine = TLSEngine.of(ssl) else { return 0 }
    return engine.takeFresh(session) ? 1 : 0
}
