package import DoorwardPolicy
package import XMPPCore

/// Everything the files say, typed and checked.
///
/// Paths are absolute.
package struct Configuration: Sendable {
    /// The path of the file it was read from.
    package var path: String
    /// The database file.
    package var storePath: String
    /// The control socket.
    package var controlPath: String
    package var operators: [OperatorConfiguration]
    /// By name.
    package var policies: [String: Policy]
    /// In the order of the files.
    package var accounts: [AccountConfiguration]
    /// How long after a fresh login's initial presence an undelivered request counts as withdrawn.
    package var redeliveryWait: Duration
    package var stop: StopMode

    /// How the service ends its sessions when it stops.
    package enum StopMode: String, Hashable, Sendable, CaseIterable {
        /// In order: the accounts go offline at once.
        case close
        /// By dropping the links: the next start goes on with the sessions where the server still has them (XEP-0198).
        case resumable
    }

    package init(
        path: String,
        storePath: String,
        controlPath: String,
        operators: [OperatorConfiguration],
        policies: [String: Policy],
        accounts: [AccountConfiguration],
        redeliveryWait: Duration,
        stop: StopMode = .close
    ) {
        self.path = path
        self.storePath = storePath
        self.controlPath = controlPath
        self.operators = operators
        self.policies = policies
        self.accounts = accounts
        self.redeliveryWait = redeliveryWait
        self.stop = stop
    }
}

/// A person who may use the service.
package struct OperatorConfiguration: Hashable, Sendable {
    /// What a person may do.
    ///
    /// The order is the order of power.
    package enum Role: String, Hashable, Sendable, CaseIterable { case viewer, `operator`, admin }

    package var name: String
    /// The Unix user that the control socket knows by the kernel's peer credentials.
    package var user: String?
    package var jid: BareJID?
    package var role: Role

    package init(name: String, user: String?, jid: BareJID?, role: Role) {
        self.name = name
        self.user = user
        self.jid = jid
        self.role = role
    }
}
