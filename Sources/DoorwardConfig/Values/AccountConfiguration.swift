package import XMPPCore

/// One account as the files have it.
package struct AccountConfiguration: Hashable, Sendable {
    /// What the account does with its decisions.
    package enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Acts on them.
        case enforce
        /// Decides and records, sends nothing.
        case observe
    }

    /// Where to connect; all nil means DNS SRV and the system's certificate authorities.
    package struct Connect: Hashable, Sendable {
        package var host: String?
        package var port: UInt16?
        /// A PEM file with the only certificate authorities that are trusted for this account.
        package var caFile: String?

        package init(host: String? = nil, port: UInt16? = nil, caFile: String? = nil) {
            self.host = host
            self.port = port
            self.caFile = caFile
        }
    }

    package var jid: BareJID
    package var bot: String
    /// The policy's name.
    package var policy: String
    package var password: SecretSource
    package var connect: Connect
    package var resource: String
    package var mode: Mode

    package init(
        jid: BareJID,
        bot: String,
        policy: String,
        password: SecretSource,
        connect: Connect,
        resource: String,
        mode: Mode
    ) {
        self.jid = jid
        self.bot = bot
        self.policy = policy
        self.password = password
        self.connect = connect
        self.resource = resource
        self.mode = mode
    }
}
