package import XMPPCore
package import XMPPCrypto
package import XMPPSession
package import XMPPTransport

/// What a connection needs to get one account online.
package struct ClientSettings: Sendable {
    package var account: BareJID
    package var password: Secret
    /// The resource to ask for; nil lets the server choose.
    package var resource: String?
    /// A configured host and port, or the account's domain for a look-up by SRV (RFC 6120 section 3.2).
    package var address: ServerAddress
    /// Where the server of the session before sent it on; nil for the address.
    package var route: ServerRoute?
    /// Whom to trust; the name that is checked is always the account's domain (RFC 6120 section 13.7.2.1).
    package var trust: TLSContext
    /// SHA-256 digests of public keys, of which one must be in the server's chain; none asks for none.
    package var pins: [[UInt8]] = []
    /// A certificate of the account's own, shown where the server asks for one.
    package var identity: TLSIdentity?
    /// Where TLS sessions are kept to be taken up again; nil for nowhere.
    package var sessions: TLSSessionCache?
    package var timeouts = Timeouts()
    /// Whether PLAIN may be used where there is nothing better.
    package var allowsPlain = false
    /// Whether a login without channel binding is refused.
    package var requiresChannelBinding = false
    /// The SCRAM iterations that a server may ask for.
    package var iterationBounds = 4096...100_000
    package var memory = LoginMemory()
    package var userAgent: UserAgent?
    package var token: FASTToken?
    /// The session of before, to go on with if the server still has it.
    package var resumption: ResumableSession?
    /// Whether what was handed over counts as handled at once; otherwise the owner says so by `committed(inbound:)`.
    package var commitsByItself = true
    /// Whether the login ends behind the binding, without anything else: for `doorward check --connect`.
    package var endsAfterBinding = false
    /// Makes bytes that nobody can guess: nonces and the beginnings of ids.
    ///
    /// Only tests put another in its place.
    package var random: @Sendable (Int) -> [UInt8] = { randomBytes($0) }
    /// Told of each step; nil for nobody.
    package var observer: (any ConnectionObserver)?
    /// Keeps the keys of SCRAM.
    package var keys = SCRAMKeyCache.shared

    /// Whom TLS must find at the other end: the account's domain, whoever named the host (RFC 6120 section 13.7.2.1).
    var security: TLSSettings {
        var security = TLSSettings(domain: account.asciiDomain, context: trust)
        security.unicodeDomain = account.domain.utf8.elementsEqual(security.domain.utf8) ? nil : account.domain
        security.pins = pins
        security.identity = identity
        security.sessions = sessions
        return security
    }

    /// How long each part may take.
    package struct Timeouts: Sendable {
        /// One stage of the login: connecting, TLS, authentication, binding.
        package var stage = Duration.seconds(30)
        /// The search for a server that answers as one: after that no other address is tried before the next connection.
        package var search = Duration.seconds(120)
        /// A request of ours.
        package var request = Duration.seconds(60)
        /// Silence after which the server is asked for a sign of life, though nothing is out (RFC 6120 section 4.6.4: not
        /// more often than every five minutes).
        package var silence = Duration.seconds(300)
        /// The same while something is out that it must answer or acknowledge.
        package var unanswered = Duration.seconds(30)
        /// How long it then has: a dead peer is found within 60 s of what it left unanswered.
        package var pong = Duration.seconds(25)
        /// How long nothing of a stanza may come that has begun.
        package var stall = Duration.seconds(60)
        /// How long a stanza may take as a whole, and a second more for each KiB of it: the longest that servers pass on
        /// (256 KiB) comes over the slowest link within it, and a byte now and then holds nobody for ever.
        package var stanza = Duration.seconds(120)
        /// How long after a stanza the server is asked whether it has it, where stream management is on.
        package var acknowledgement = Duration.seconds(2)

        var patience: Keepalive.Patience { .init(idle: silence, unanswered: unanswered, answer: pong) }

        package init() {}
    }

    package init(
        account: BareJID, password: Secret, resource: String?, address: ServerAddress, trust: TLSContext
    ) {
        self.account = account
        self.password = password
        self.resource = resource
        self.address = address
        self.trust = trust
    }
}
