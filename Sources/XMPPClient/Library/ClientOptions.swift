public import XMPPCore
import XMPPTransport

extension Client {
    /// How a client connects and what it does by itself.
    public struct Options: Sendable {
        /// The resource to ask for; nil lets the server choose.
        public var resource: String?
        /// Where the server is; nil asks DNS (RFC 6120 section 3.2).
        public var server: Server?
        /// Which of the services that DNS names are taken; nothing where there is a `server`.
        public var services = Services.all
        /// A PEM file of the only authorities to trust; nil trusts the system's.
        ///
        /// The certificate must be the account's domain's in any case.
        public var authorities: String?
        /// Public keys of which one must be in the server's chain, which must be good in any case; none asks for none.
        public var pins: [Pin] = []
        /// The account's own certificate, shown where the server asks for one: for a login without a password (SASL
        /// EXTERNAL, XEP-0178).
        public var certificate: Certificate?
        /// Whether the password may be shown to the server (within TLS) where it knows nothing better than PLAIN.
        public var allowsPlain = false
        /// Whether a login that is not bound to its TLS connection is refused (RFC 9266).
        public var requiresChannelBinding = false
        /// How often the server may ask for the password to be hashed (SCRAM).
        ///
        /// With fewer it is cheap to guess, with more the server holds the client up. Whatever is set, it is within 1,000 and
        /// 10,000,000.
        public var iterations = 4096...100_000
        /// What the last client of the account has left (``Client/memory``); nil where there was none.
        public var memory: Memory?
        /// Stores what the next process is to know, each time it has changed, and one at a time.
        ///
        /// With it, the server may forget what it sent only once it is stored that we have it; see <doc:Restarts>. Where it
        /// throws, the observer is told (`memory_not_kept`), and it is called again after a pause.
        public var keep: (@concurrent @Sendable (Memory) async throws -> Void)?
        /// Sent when a session begins; nil sends none, and then the server delivers no messages.
        public var presence: Presence? = Presence(.available)
        /// Makes the modules of a session; they answer the requests of their namespaces.
        public var modules: @Sendable () -> [any SessionModule] = { [] }
        /// Modules of bot authors.
        package var hosted: [PreparedModule] = []
        /// Gives them what is beyond the stream.
        package var moduleCompanion: ModuleCompanionKind?
        /// Makes what each of them keeps its things in.
        package var moduleStorage: @Sendable (_ module: String) -> any ModuleStorageBackend = { _ in
            MemoryModuleStorage()
        }
        /// Told of each step of the connections.
        public var observer: (any ConnectionObserver)?
        /// The name of the program, told to servers that know SASL2 (XEP-0388).
        public var software = "XMPPClient"
        /// Whether a lost connection is made again, after a pause; a failure that a pause cannot heal ends `run()` anyway.
        public var reconnects = true
        /// How long the pauses are.
        public var backoff = Backoff()
        /// By what the server is reached.
        public var transport = ClientTransport.network

        /// Kinds of services that DNS names.
        public enum Services: Hashable, Sendable {
            /// Both, in the order that DNS says.
            case all
            /// Those whose TLS begins with the connection (`_xmpps-client`, XEP-0368).
            case directTLS
            /// Those that begin it by STARTTLS (`_xmpp-client`).
            case startTLS
        }

        /// A certificate in files.
        public struct Certificate: Hashable, Sendable {
            /// The certificate, and those between it and its authority (PEM).
            public var file: String
            /// Its private key (PEM, without a passphrase); only the program should be able to read it.
            public var key: String

            /// A certificate.
            public init(file: String, key: String) {
                self.file = file
                self.key = key
            }
        }

        /// A host and port that somebody configured.
        public struct Server: Hashable, Sendable {
            /// A host name or an IP address.
            public var host: String
            /// Its port.
            public var port: UInt16
            /// Whether TLS begins with the connection (XEP-0368), and not after STARTTLS.
            public var usesDirectTLS: Bool

            /// A server.
            public init(host: String, port: UInt16 = 5222, usesDirectTLS: Bool = false) {
                self.host = host
                self.port = port
                self.usesDirectTLS = usesDirectTLS
            }

            var address: ServerAddress { .host(host, port: port, isDirectTLS: usesDirectTLS) }
        }

        /// The usual ones.
        public init() {}

        func address(for account: BareJID) -> ServerAddress {
            if let server { return server.address }
            let domain = account.asciiDomain
            return switch services {
            case .all: .domain(domain)
            case .directTLS: .services(of: domain, isDirectTLS: true)
            case .startTLS: .services(of: domain, isDirectTLS: false)
            }
        }

        var iterationBounds: ClosedRange<Int> { iterations.clamped(to: 1000...10_000_000) }
    }
}
