package import DoorwardPolicy
package import XMPPCore

/// One subscription request as the store has it: the truth that the desk and the account both work from.
package struct RequestRow: Hashable, Sendable {
    /// The number operators use; unique in the deployment, never used again.
    package var id: Int64
    package var account: BareJID
    package var contact: BareJID
    package var message: String?
    package var nickname: String?
    package var receivedAt: Timestamp
    package var lastSeenAt: Timestamp
    /// How often the server delivered it.
    package var seenCount: Int
    /// The session of the account in which it was delivered last.
    package var session: Int64
    /// Counts from 1; rises when message or nickname change, so that an answer can name what it saw.
    package var version: Int
    package var state: RequestState
    /// Whether it is or was on the desk, so whether `pending --all` shows it.
    package var onDesk: Bool
    /// The latest decision; nil while a new row is being made, and while facts are asked for that it hangs on.
    package var decision: Decision?
    /// The rule that decided, or that put it on the desk.
    package var rule: String?
    /// The policy's name.
    package var policy: String?
    /// What is decided and not yet confirmed; nil where there is nothing to send.
    package var outbox: OutboxRow?
    /// SHA-256 of the token that it showed, in hexadecimal; what a later delivery lacks is kept.
    package var token: String?
    /// The invitation that it has used.
    package var invitation: Int64?
    /// The contact that the one who asks says it was before.
    package var move: MoveClaim?
    /// Rises with every change of this row anywhere in the store; of two copies the higher one is the newer.
    package var revision: Int64
    /// What is known of the token that it showed; nil where it showed none, and in a row that was just written.
    package var shown: ShownInvitation?

    package init(
        id: Int64,
        account: BareJID,
        contact: BareJID,
        message: String?,
        nickname: String?,
        receivedAt: Timestamp,
        lastSeenAt: Timestamp,
        seenCount: Int,
        session: Int64,
        version: Int,
        state: RequestState,
        onDesk: Bool,
        decision: Decision?,
        rule: String?,
        policy: String?,
        outbox: OutboxRow?,
        revision: Int64,
        token: String? = nil,
        invitation: Int64? = nil,
        move: MoveClaim? = nil
    ) {
        self.id = id
        self.account = account
        self.contact = contact
        self.message = message
        self.nickname = nickname
        self.receivedAt = receivedAt
        self.lastSeenAt = lastSeenAt
        self.seenCount = seenCount
        self.session = session
        self.version = version
        self.state = state
        self.onDesk = onDesk
        self.decision = decision
        self.rule = rule
        self.policy = policy
        self.outbox = outbox
        self.revision = revision
        self.token = token
        self.invitation = invitation
        self.move = move
    }

    /// Whether a delivery from the same contact belongs to this row instead of opening a new one: it is undecided,
    /// decided without acting, or decided and not yet confirmed.
    package var isLive: Bool {
        switch state {
        case .open, .held, .recorded: true
        // A block covers a request, and the one who asked is told no before.
        case .accepted, .rejected, .covered: outbox?.isOpen ?? false
        case .withdrawn, .answeredElsewhere: false
        }
    }
}

/// Where a request stands.
package enum RequestState: String, Hashable, Sendable, CaseIterable {
    /// On the desk.
    case open
    /// Answered, and the answer held back for the undo time.
    case held
    case accepted
    case rejected
    case withdrawn
    case answeredElsewhere = "answered_elsewhere"
    case covered
    /// Decided, and nothing is sent: an `ignore`, or a mode that only observes; or received, and decided when the facts that
    /// it hangs on are there. Not on the desk.
    case recorded
}
