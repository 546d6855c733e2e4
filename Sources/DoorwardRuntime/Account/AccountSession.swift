import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// What an account has in one session: its modules, its ledger of requests, and what waits to be recorded or sent.
///
/// It dies with the session, so nothing of one leaks into the next; a resumption gives it another connection. A class, in
/// the account's isolation, so that no part of the account holds a copy of the ledger by accident.
final class AccountSession {
    /// Steps that were sent together and are not known to have arrived.
    struct Sent {
        /// The number of the last stanza, as stream management counts.
        let number: UInt32
        let answers: [SentAnswer]
    }

    typealias SentAnswer = (contact: BareJID, steps: [OutboxStep.Kind])

    /// How many deliveries wait for the roster; what comes after is delivered again at the next login.
    static let waitingLimit = 10_000
    /// How many answers may be out and not acknowledged, where stream management is on.
    static let sentLimit = 500

    /// Another one after a resumption.
    var connection: ClientConnection
    var roster: RosterModule?
    var blocking: BlockingModule?
    var presence: PresenceModule?
    /// Those that fetch for themselves what they need (``Account/makeSessionModules(_:)``).
    var modules: [any SessionModule] = []
    /// Whether they were told of this session, and not yet of its end.
    var modulesHaveSession = false
    /// Whether the presence of this session is out.
    var hasAnnounced = false
    /// A digest of the abilities that it announced; and what the store has of that.
    var announced: String?
    var savedAnnounced: String?
    var router = StanzaRouter(modules: [])
    var ledger: RequestLedger?
    /// What the server announces (XEP-0030); nil until it has answered.
    var features: Set<[UInt8]>?
    var hasBlockList = false
    /// Whether roster, features and block list are there: requests are decided from now on.
    var isReady = false
    /// Monotonic time of that moment, or of the resumption.
    var onlineSince: Duration?
    /// Deliveries that came before that: rules about contacts would be wrong without the roster.
    var waiting: [SubscriptionRequest] = []
    /// Whether more came than may wait: they stay at the server, and an operator must know.
    var leftRequests = false
    /// Stanzas of a session that goes on, until what it knew is read from the store; nil at all other times.
    var held: [Stanza]?
    /// Contacts who asked though they see us already, and who were told so in this session.
    var reassured: Set<BareJID> = []

    /// Whether requests were left to the server since there are too many.
    var isFull = false

    // MARK: What is to be recorded

    /// To be committed with the next transaction.
    private(set) var changes: [RequestChange] = []
    /// Whether they, or the counts, are not to wait.
    var isUrgent = false
    /// Changes of contacts, for the same.
    var mirror: [SessionChange.Mirror] = []
    /// Whether some of them are worth a transaction; available resources are not.
    var mirrorIsDue = false
    var isCommitting = false
    /// A transaction failed: what it held is lost, so the session must not go on.
    var isBroken = false
    /// Told when no transaction is under way.
    var commitWaiters: [CheckedContinuation<Void, Never>] = []
    /// Stanzas of the server that were handed over by reads that have ended.
    var inbound: UInt32 = 0
    /// Those whose effects are on disk.
    var committedInbound: UInt32 = 0
    /// The last stanza of ours that was sent, and the last that the server has acknowledged.
    var outbound: UInt32 = 0
    var acknowledged: UInt32 = 0
    /// Whether the store has what another process needs to go on with the session.
    var isSaved = false
    /// Set while something waits that nobody waits for.
    var laterTimer: TimerID?

    // MARK: What is to be sent

    /// To be sent, in order.
    var effects: [RequestLedger.Effect] = []
    /// Old addresses that are asked whether they have moved, each with those who say that they are where it has moved to.
    var movesAsked: [BareJID: Set<BareJID>] = [:]
    /// What old addresses said of where they are now, and when (monotonic); bounded by the contacts, who alone are asked.
    var movesStated: [BareJID: (new: BareJID?, at: Duration)] = [:]
    /// The requests whose move is recorded, by who asks; at most one for each old address.
    var movesRecorded: [BareJID: Int64] = [:]
    /// Requests that operators wait for, by their numbers in `effects`.
    var orders: [Int: Order] = [:]
    var lastOrder = 0
    /// Whether a ping is out behind what was sent last; the next effects wait for its answer.
    var isPinging = false
    /// What was sent and is not acknowledged, in order, where stream management is on.
    private(set) var sent: [Sent] = []
    private var sentAnswers = 0
    /// Acknowledged, and not yet seen to have met a request: a ping is out behind them.
    var doubtful: [SentAnswer] = []
    var settleTimer: TimerID?

    // MARK: Contacts

    /// What the store had of the roster when the session began; nil once the roster is there.
    var kept: (items: Roster, version: String?)?
    /// Whether the store has the roster of this session: from then on it is told what changes.
    var isRosterKept = false
    /// What was seen of contacts and is not written yet.
    var sightings: [BareJID: ContactSighting] = [:]
    /// Set while the session is ready: what was seen is written then.
    var evidenceTimer: TimerID?
    /// Wall clock of when the present connection came online, and until when that is written.
    var onlineTime: OnlineTime?
    /// Wall clock of when that connection ended; nil while it lasts.
    var onlineEnd: Timestamp?
    /// Contacts whose servers have refused that we ask, in this session, with the reason; those that a command waits for.
    var refusals: [BareJID: String] = [:]
    /// The same of those that could not hand it over yet.
    var delays: [BareJID: String] = [:]
    /// Commands that wait for what the servers of contacts say to being asked; bounded by the turns of commands.
    var askWaiters: [BareJID: [CheckedContinuation<Void, Never>]] = [:]
    /// Contacts that are asked again from time to time (`Account+Unfinished`).
    var repeats = AskRepeats()
    /// Contacts whom the account asked, and who refused in this session, or while it was away before.
    var deniedAsks: Set<BareJID> = []
    /// Whom operators have approved ahead; those who were let in by that until it is taken back at the server.
    var approvals: [BareJID: Approval] = [:]
    /// Contacts whose name or groups changed while the account was away: their approvals are given again.
    var renewals: Set<BareJID> = []
    /// Whether something was begun in this session of which nobody knows what became of it.
    var hasUnfinished = false

    init(connection: ClientConnection) {
        self.connection = connection
    }

    var canBlock: Bool { features?.contains(Array(Namespace.blocking.utf8)) ?? false }

    /// Whether another burst may be sent.
    ///
    /// Not between the end of the link and the moment that the account learns of it: what is sent then is lost, and the
    /// session would not know.
    var canSend: Bool { isReady && !isPinging && connection.isOnline && sentAnswers < Self.sentLimit }

    /// To be committed with the next transaction, in order.
    func record(_ changes: [RequestChange]) {
        self.changes += changes
        isUrgent = isUrgent || !changes.allSatisfy(\.isConfirmation)
    }

    /// Takes them out, for a transaction.
    func takeChanges() -> [RequestChange] {
        defer { (changes, isUrgent) = ([], false) }
        return changes
    }

    /// Answers went out together.
    func wasSent(_ answers: [SentAnswer], number: UInt32) {
        guard !answers.isEmpty else { return }
        sent.append(Sent(number: number, answers: answers))
        sentAnswers += answers.count
    }

    /// Takes out what was sent up to a number, as stream management counts: modulo 2^32.
    func takeSent(through number: UInt32) -> [SentAnswer] {
        let done = sent.prefix { number &- $0.number < 1 << 31 }
        sent.removeFirst(done.count)
        let answers = done.flatMap(\.answers)
        sentAnswers -= answers.count
        return answers
    }

    var counts: StreamCounts { StreamCounts(inbound: inbound, outbound: outbound, acknowledged: acknowledged) }
}

extension RequestChange {
    /// Whether it says that the server has had something, which is found again at the next login.
    var isConfirmation: Bool {
        switch self {
        case .confirmed: true
        case .opened, .received, .redelivered, .decided, .closed, .written, .dropped, .moved: false
        }
    }
}
