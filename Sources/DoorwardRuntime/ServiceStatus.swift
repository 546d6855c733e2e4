package import DoorwardConfig
package import DoorwardStore
package import XMPPClient
package import XMPPCore

/// What `status` shows.
package struct ServiceStatus: Sendable {
    package var version: String
    package var startedAt: Timestamp
    /// Those not cleared.
    package var alerts: [AlertRow]
    package var accounts: [AccountStatus]

    package init(version: String, startedAt: Timestamp, alerts: [AlertRow], accounts: [AccountStatus]) {
        self.version = version
        self.startedAt = startedAt
        self.alerts = alerts
        self.accounts = accounts
    }
}

/// One account in `status`.
package struct AccountStatus: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        case connecting, online
        /// Before a retry.
        case waiting
        /// Not tried again until the configuration changes.
        case parked
        case stopped
    }

    package var jid: BareJID
    package var state: State
    package var since: Timestamp
    package var policy: String
    package var mode: AccountConfiguration.Mode
    /// The number of roster items; nil before the first roster.
    package var contacts: Int?
    /// Requests of this account on the desk.
    package var pending: Int
    package var lastError: String?
    /// When its session last went on over another connection (XEP-0198); nil where the present login began it, and while
    /// there is none.
    package var resumedAt: Timestamp?
    /// The modules of its bot.
    package var modules: [ModuleStatus] = []

    package init(
        jid: BareJID, state: State, since: Timestamp, policy: String, mode: AccountConfiguration.Mode, contacts: Int?,
        pending: Int, lastError: String?, resumedAt: Timestamp? = nil
    ) {
        self.jid = jid
        self.state = state
        self.since = since
        self.policy = policy
        self.mode = mode
        self.contacts = contacts
        self.pending = pending
        self.lastError = lastError
        self.resumedAt = resumedAt
    }

    /// An account that is about to connect for the first time.
    init(starting account: AccountConfiguration, at time: Timestamp) {
        self.init(
            jid: account.jid, state: .connecting, since: time, policy: account.policy, mode: account.mode,
            contacts: nil,
            pending: 0, lastError: nil)
    }
}
