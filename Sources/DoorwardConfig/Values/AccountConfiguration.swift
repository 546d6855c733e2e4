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
        /// How TLS begins.
        package enum TLS: String, Hashable, Sendable, CaseIterable {
            /// On a plain stream, which goes on only after it (RFC 6120 section 5).
            case starttls
            /// With the connection (XEP-0368).
            case direct
        }

        package var host: String?
        package var port: UInt16?
        /// Nil means STARTTLS with a host, and whatever DNS offers without one.
        package var tls: TLS?
        /// A PEM file with the only certificate authorities that are trusted for this account.
        package var caFile: String?
        /// SHA-256 of public keys (SubjectPublicKeyInfo), of which one must be in the server's chain; empty asks for none.
        package var pins: [[UInt8]]

        package init(
            host: String? = nil, port: UInt16? = nil, tls: TLS? = nil, caFile: String? = nil, pins: [[UInt8]] = []
        ) {
            self.host = host
            self.port = port
            self.tls = tls
            self.caFile = caFile
            self.pins = pins
        }
    }

    /// How to log in.
    package struct Login: Hashable, Sendable {
        /// A certificate of the account's own, for SASL EXTERNAL.
        package struct Certificate: Hashable, Sendable {
            /// The certificate with those between it and its authority (PEM).
            package var file: String
            /// Its private key (PEM).
            package var key: String

            package init(file: String, key: String) {
                self.file = file
                self.key = key
            }
        }

        /// Whether a login that is not bound to its TLS connection is refused (RFC 5802 section 6).
        package var requiresChannelBinding: Bool
        /// Whether PLAIN may be used where the server offers nothing better.
        package var allowsPlain: Bool
        /// The SCRAM iterations that the server may ask for.
        package var iterations: ClosedRange<Int>
        package var certificate: Certificate?

        package init(
            requiresChannelBinding: Bool = false, allowsPlain: Bool = false,
            iterations: ClosedRange<Int> = 4096...100_000, certificate: Certificate? = nil
        ) {
            self.requiresChannelBinding = requiresChannelBinding
            self.allowsPlain = allowsPlain
            self.iterations = iterations
            self.certificate = certificate
        }
    }

    package var jid: BareJID
    package var bot: String
    /// The policy's name.
    package var policy: String
    /// Nil only where a certificate logs in.
    package var password: SecretSource?
    package var connect: Connect
    package var login: Login
    /// Nil for one that nobody can guess: whoever knows the full address can ask it whether somebody is there.
    package var resource: String?
    package var mode: Mode
    /// Modules of bot authors, in the order of the file.
    package var modules: [ModuleConfiguration]
    /// What it says of itself.
    package var profile: ProfileConfiguration
    /// Nothing where the files say nothing: each is more than presence tells.
    package var answers: Set<Answer>
    /// Gateways and group services whose suggestions of contacts are taken (XEP-0144).
    package var trustedRosterExchange: Set<BareJID>

    package init(
        jid: BareJID,
        bot: String,
        policy: String,
        password: SecretSource?,
        connect: Connect,
        login: Login = Login(),
        resource: String?,
        mode: Mode,
        modules: [ModuleConfiguration] = [],
        profile: ProfileConfiguration = ProfileConfiguration(),
        answers: Set<Answer> = [],
        trustedRosterExchange: Set<BareJID> = []
    ) {
        self.jid = jid
        self.bot = bot
        self.policy = policy
        self.password = password
        self.connect = connect
        self.login = login
        self.resource = resource
        self.mode = mode
        self.modules = modules
        self.profile = profile
        self.answers = answers
        self.trustedRosterExchange = trustedRosterExchange
    }
}
