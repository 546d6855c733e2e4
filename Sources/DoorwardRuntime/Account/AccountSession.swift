import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// What an account has on one connection: its modules, its ledger of requests, and what waits to be recorded or sent.
///
/// It dies with the connection, so nothing of one session leaks into the next. A class, in the account's isolation, so
/// that no part of the account holds a copy of the ledger by accident.
final class AccountSession {
    /// How many deliveries wait for the roster; what comes after is delivered again at the next login.
    static let waitingLimit = 10_000

    let connection: ClientConnection
    var roster: RosterModule?
    var blocking: BlockingModule?
    var router = StanzaRouter(modules: [])
    var ledger: RequestLedger?
    /// What the server announces (XEP-0030); nil until it has answered.
    var features: Set<[UInt8]>?
    var hasBlockList = false
    /// Whether roster, features and block list are there and initial presence is sent.
    var isReady = false
    /// Monotonic time of that moment.
    var onlineSince: Duration?
    /// Deliveries that came before that: rules about contacts would be wrong without the roster.
    var waiting: [SubscriptionRequest] = []
    /// Contacts who asked though they see us already, and who were told so in this session.
    var reassured: Set<BareJID> = []

    /// Whether requests were left to the server since there are too many.
    var isFull = false

    /// To be committed with the next transaction.
    var changes: [RequestChange] = []
    var isCommitting = false
    /// To be sent, in order.
    var effects: [RequestLedger.Effect] = []
    /// Whether a ping is out behind what was sent last; the next effects wait for its answer.
    var isSending = false
    var settleTimer: TimerID?

    init(connection: ClientConnection) {
        self.connection = connection
    }

    var canBlock: Bool { features?.contains(Array(Namespace.blocking.utf8)) ?? false }
}
