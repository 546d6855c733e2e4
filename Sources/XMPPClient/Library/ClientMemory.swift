public import XMPPCore
import XMPPCrypto
import XMPPSession

extension Client {
    /// What the logins of an account leave for the next ones, also those of another process: give it back as
    /// ``Options/memory``.
    ///
    /// It has four parts: the id by which servers tell the installations of an account apart, what the server has shown
    /// that it can (so that nobody on the way can talk the next login into a weaker one), a token that spares the next
    /// login a round trip, and the session, where it can go on (XEP-0198).
    ///
    /// **It is a secret.** The token is as good as the password, and a session has the stanzas that are not acknowledged,
    /// with their texts. Its `Codable` form has both, so it is stored like a password: in a file that only the program may
    /// read. Printing and `dump` show neither.
    public struct Memory: Sendable {
        /// Whose it is; a client of another account refuses it.
        public let account: BareJID
        /// Tells this installation of the account from others (XEP-0388 section 2.3): two that share it throw each other
        /// out.
        public internal(set) var userAgentID: String
        var login = LoginMemory()
        var token: FASTToken?
        var session: ResumableSession?
        /// The resource that the session's login asked for.
        var resource: String?

        /// An account that was never logged in here.
        public init(account: BareJID) {
            self.init(account: account, chance: { randomBytes($0) })
        }

        init(account: BareJID, chance: ClientTransport.Chance) {
            self.account = account
            userAgentID = UserAgent.randomID(by: chance)
        }

        /// Whether the server has proved itself by SCRAM or took a certificate: then PLAIN is not used any more.
        public var usedStrongMechanism: Bool { login.usedStrongMechanism }
        /// Whether a login was bound to its TLS connection by a binding that the server announced: then none goes without
        /// (XEP-0440).
        public var usedAnnouncedBinding: Bool { login.usedAnnouncedBinding }
        /// Whether there is a token (XEP-0484).
        public var hasToken: Bool { token != nil }
        /// The address of the session that can go on; nil where there is none.
        public var sessionAddress: JID? { session?.jid }

        /// Forgets what the server has shown, with the token: for a server that was changed on purpose, after a login ended
        /// with the reason `login_weakened` or `channel_binding_lost`.
        ///
        /// Without such a change somebody may stand in between, and gets at the password that way.
        public mutating func trustAgain() {
            login = LoginMemory()
            token = nil
        }

        /// Forgets the session: the next login begins a new one.
        public mutating func forgetSession() {
            session = nil
            resource = nil
        }
    }
}

extension Client.Memory: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it has, without what is secret in it.
    public var description: String {
        let parts = [
            usedStrongMechanism ? "a safe login" : nil, usedAnnouncedBinding ? "an announced binding" : nil,
            hasToken ? "a token" : nil, session.map { "the session \($0.jid)" },
        ].compactMap { $0 }
        return "memory of \(account): \(parts.isEmpty ? "nothing" : parts.joined(separator: ", "))"
    }

    /// The same.
    public var debugDescription: String { description }

    /// No parts: `dump` shows nothing more.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
