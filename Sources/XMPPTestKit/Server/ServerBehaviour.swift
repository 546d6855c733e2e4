public import XMPPCore

/// How a `ScriptedServer` behaves; at first as a good server of some years ago does, with what `modern` adds left out.
public struct ServerBehaviour: Sendable {
    /// How it shows, at the end of a login, that it knows the password (RFC 5802 section 5) or the token (XEP-0484).
    public enum Proof: Sendable, CaseIterable {
        /// As it must.
        case proper
        /// As it may: in a challenge of its own, and an empty success.
        case inChallenge
        /// `<success/>` and nothing in it.
        case absent
        /// `<success>=</success>`.
        case empty
        /// A signature with one bit turned over.
        case wrong
        /// `e=other-error`.
        case errorText
        /// `<success/>` at once, before any challenge.
        case beforeChallenge
    }

    /// A stage of the login.
    public enum Stage: Sendable, CaseIterable {
        /// The features, which begin each stream.
        case features
        /// Going on to TLS.
        case proceed
        /// The challenge of SCRAM.
        case challenge
        /// The success.
        case success
        /// The bound address.
        case bind
    }

    /// What it says about something that the client can check.
    public enum Statement: Sendable, Hashable {
        /// Nothing.
        case absent
        /// The truth.
        case right
        /// Something else of the same form.
        case wrong
        /// This.
        case text(String)
    }

    /// Whether features list the session request of RFC 3921.
    public enum SessionRequest: Sendable, CaseIterable {
        /// Not at all.
        case absent
        /// With `<optional/>`, as newer servers do.
        case optional
        /// As something that the client must send.
        case required
    }

    /// From which stage on it says nothing; nil speaks at all of them.
    public var silentFrom: Stage?
    /// Whether it answers the client's closing tag.
    public var answersClosing = true
    /// Whether it accepts connections at all.
    public var isReachable = true
    /// Sent as soon as somebody connects, before any header.
    public var saidAtOnce = ""
    /// Said instead of something else, and then the stream ends.
    public var interruption: Interruption?
    /// Whether it offers STARTTLS; without, it offers logins in clear.
    public var offersStartTLS = true
    /// Whether its offer of STARTTLS is marked as required.
    public var requiresStartTLS = true
    /// Whether it goes on to TLS when asked.
    public var proceedsToTLS = true
    /// Put behind `<proceed/>` in the same write, as somebody on the way could.
    public var injectedAfterProceed = ""
    /// The mechanisms it offers, in its order; with none it offers no SASL of RFC 6120.
    ///
    /// SCRAM with SHA-1, SHA-256 and SHA-512, each also as -PLUS, PLAIN and EXTERNAL work, others are only names.
    public var mechanisms = ["SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"]
    /// The channel binding types that it announces (XEP-0440); nil announces nothing.
    public var announcedBindings: [String]?
    /// The channel binding types that it takes; nil takes each that the connection has.
    public var acceptedBindings: [String]?
    /// Whether it takes tls-unique from the wrong end where the TLS session is one of before, as Prosody does.
    public var confusesUnique = false
    /// Whether the flag `y` is refused although no -PLUS form is offered, as Prosody 0.12 does on TLS 1.2.
    public var refusesFlagY = false
    /// The digest `h` of what it offers, in SCRAM's first message (XEP-0474).
    public var offerDigest = Statement.absent
    /// The TLS version `t`, in SCRAM's first message (XEP-0515).
    public var tlsVersion = Statement.absent
    /// The iteration count of SCRAM.
    public var iterations = 4096
    /// Whose certificate every client is taken to have shown, for EXTERNAL.
    public var certificateOwner: String?
    /// How often a login may be tried on one stream.
    public var attempts = 3
    /// How it proves itself.
    public var proof = Proof.proper
    /// White space sent between the elements of a login.
    public var whiteSpace = ""
    /// SASL2 and what comes with it (XEP-0388); nil offers nothing of it.
    public var sasl2: SASL2?
    /// Stream management (XEP-0198); nil offers nothing of it.
    public var streamManagement: StreamManagement?
    /// Whether the session request of RFC 3921 is offered.
    public var sessionRequest = SessionRequest.absent
    /// The condition with which it refuses to bind a resource; nil binds.
    public var bindRefusal: String?
    /// Whether it announces blocking (XEP-0191).
    public var announcesBlocking = true
    /// Whether it counts the versions of rosters, and tells them (RFC 6121 section 2.6).
    public var keepsRosterVersions = false
    /// The condition with which it refuses requests for the roster; nil answers them.
    public var rosterRefusal: StanzaError.Condition?
    /// The condition with which it refuses to set or remove an item; nil does it.
    public var rosterSetRefusal: StanzaError.Condition?
    /// Domains that cannot be reached: a request to somebody there comes back as an error.
    public var unreachableDomains: [String] = []
    /// Whether it knows pre-approvals (RFC 6121 section 3.4).
    public var keepsPreApprovals = true
    /// Whether it answers each of these requests.
    public var answersRoster = true
    /// Whether it answers service discovery.
    public var answersDiscovery = true
    /// Whether it answers for the block list.
    public var answersBlockList = true
    /// Whether it answers pings.
    public var answersPings = true
    /// Whether initial presence makes it deliver the requests that wait.
    public var deliversRequests = true
    /// Whether what waits is delivered in one write.
    public var deliversAtOnce = false
    /// In which order the answers to the requests of a session come, and how often.
    public var answers = Answers()
    /// What it does where a session of the account has the resource that another one asks for.
    public var resourceConflict = ResourceConflict.replacesOld

    /// A good server.
    public init() {}

    /// A server that has all that a client can use: channel binding that is announced and protected, SASL2 with Bind2,
    /// tokens and stream management.
    public static var modern: ServerBehaviour {
        var behaviour = ServerBehaviour()
        behaviour.mechanisms = ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"]
        behaviour.announcedBindings = ["tls-exporter", "tls-server-end-point"]
        behaviour.offerDigest = .right
        behaviour.tlsVersion = .right
        behaviour.sasl2 = SASL2()
        behaviour.streamManagement = StreamManagement()
        return behaviour
    }
}
