/// How a `ScriptedServer` behaves; at first as a good server does.
public struct ServerBehaviour: Sendable {
    /// How it shows, at the end of SCRAM, that it knows the password (RFC 5802 section 5).
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

    /// From which stage on it says nothing; nil speaks at all of them.
    public var silentFrom: Stage?
    /// Whether it answers the client's closing tag.
    public var answersClosing = true
    /// Whether it accepts connections at all.
    public var isReachable = true
    /// Whether it offers STARTTLS; without, it offers logins in clear.
    public var offersStartTLS = true
    /// Whether its offer of STARTTLS is marked as required.
    public var requiresStartTLS = true
    /// Whether it goes on to TLS when asked.
    public var proceedsToTLS = true
    /// Put behind `<proceed/>` in the same write, as somebody on the way could.
    public var injectedAfterProceed = ""
    /// The mechanisms it offers, in its order.
    public var mechanisms = ["SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"]
    /// How it proves itself.
    public var proof = Proof.proper
    /// White space sent between the elements of a login.
    public var whiteSpace = ""
    /// Whether it announces blocking (XEP-0191).
    public var announcesBlocking = true
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

    /// A good server.
    public init() {}
}
