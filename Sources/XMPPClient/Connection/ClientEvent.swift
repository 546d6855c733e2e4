package import XMPPCore
package import XMPPSession

/// What a connection tells its owner, on its loop and in order.
///
/// What comes once in a login is `indirect`, so that the events of every read are not larger for it.
package enum ClientEvent: Sendable {
    /// A step of the way was reached; for `status` and logs.
    case progressed(ClientStage)
    /// Bound: stanzas may be sent from now on.
    indirect case established(EstablishedSession)
    /// The session of before goes on (XEP-0198 section 5): nothing is fetched or announced again.
    ///
    /// Comes with the stanzas of ours that the server has handled in all; what it has not was sent again.
    indirect case resumed(ResumedSession)
    /// A stanza that is no reply to one of our requests.
    case received(Stanza)
    /// The head of a request over the limits of the parser, to be refused (`StanzaRouter.refuse`): how, depends on who may
    /// know of us.
    case overLimits(IQ)
    /// A stanza whose `from` is no address: from nobody that could be named. A request has been answered, and nothing else
    /// is to be done with it.
    case nameless(Stanza)
    /// Everything that one read brought was handed over: the moment to commit.
    ///
    /// `inbound` counts the stanzas handed over so far in this session, modulo 2^32 (0 without stream management): once
    /// their effects are on disk, say `committed(inbound:)`.
    case readEnded(inbound: UInt32)
    /// The server has handled our stanzas up to this number (see `ClientConnection.send`).
    case acknowledged(through: UInt32)
    /// The token of the last login is to be forgotten.
    case tokenExpired
}

/// How far a connection is.
package enum ClientStage: String, Hashable, Sendable {
    case connecting, securing, authenticating, binding, online
}

/// How a connection ended.
package struct SessionEnd: Error, Sendable, CustomStringConvertible {
    /// What ended it.
    package enum Cause: Sendable {
        /// We closed it in order.
        case stopped
        /// The server closed the stream in order, or the link went away.
        case lost(String)
        /// Nothing usable answered: name, network or TLS.
        case unreachable(String)
        /// DNS says that the domain has no XMPP service (RFC 2782, a target of `.`): not to be asked again soon (B065).
        case notOffered(String)
        /// Login failed, or the stream ended with an error.
        case session(SessionError)
        /// It could not even begin: a password or an authority that cannot be read.
        case unusable(String)
        /// The owner gave up on it.
        case abandoned(String)
    }

    package var cause: Cause
    /// Set where the session can go on over another connection: `ClientSettings.resumption` of the next one.
    package var resumable: ResumableSession?
    /// Set where the server sent the session on to another host: `ClientSettings.route` of the next connection.
    package var route: ServerRoute?

    package init(_ cause: Cause, resumable: ResumableSession? = nil, route: ServerRoute? = nil) {
        self.cause = cause
        self.resumable = resumable
        self.route = route
    }

    /// Safe to show: no secret, no text of the peer.
    package var description: String {
        switch cause {
        case .stopped: "stopped"
        case .lost(let text), .unreachable(let text), .notOffered(let text), .unusable(let text), .abandoned(let text):
            text
        case .session(let error): error.description
        }
    }
}

extension SessionEnd.Cause {
    /// Whether a session that waits to be taken up may still be asked for.
    ///
    /// Not where trying again cannot help: what comes after that is another login. What passes leaves it, and before TLS
    /// anybody on the way may have said it.
    package var leavesResumption: Bool {
        switch self {
        case .session(let error): error.retry == .retry
        case .unusable: false
        case .stopped, .lost, .unreachable, .notOffered, .abandoned: true
        }
    }
}
