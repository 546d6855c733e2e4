public import XMPPCore
import XMPPTransport

extension Client {
    /// How a client connects and what it does by itself.
    public struct Options: Sendable {
        /// The resource to ask for; nil lets the server choose.
        public var resource: String?
        /// Where the server is; nil asks DNS (RFC 6120 section 3.2).
        public var server: Server?
        /// A PEM file of the only authorities to trust; nil trusts the system's.
        ///
        /// The certificate must be the account's domain's in any case.
        public var authorities: String?
        /// SHA-256 digests of public keys (SubjectPublicKeyInfo): one of them must be in the server's chain, which must be
        /// good in any case; none asks for none.
        public var pins: [[UInt8]] = []
        /// Whether the password may be shown to the server (within TLS) where it knows nothing better than PLAIN.
        public var allowsPlain = false
        /// Whether a login that is not bound to its TLS connection is refused (RFC 9266).
        public var requiresChannelBinding = false
        /// Sent when a session begins; nil sends none, and then the server delivers no messages.
        public var presence: Presence? = Presence(.available)
        /// Makes the modules of a session; they answer the requests of their namespaces.
        public var modules: @Sendable () -> [any XMPPModule] = { [] }
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
    }
}
