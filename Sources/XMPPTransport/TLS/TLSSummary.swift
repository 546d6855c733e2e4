/// What TLS was agreed on.
package struct TLSSummary: Sendable, Hashable {
    /// Such as `TLSv1.3`.
    package var version: String
    /// Such as `TLS_AES_256_GCM_SHA384`.
    package var cipher: String
    /// The version as on the wire: 0x0303 for TLS 1.2, 0x0304 for TLS 1.3; 0 where there is no TLS (in memory).
    package var versionNumber: UInt16
    /// Whether a session of before was taken up again (RFC 8446 section 2.2).
    package var isResumed: Bool
    /// What SCRAM can be bound to.
    package var bindings: TLSChannelBindings
    /// The name in the certificate by which the server was recognised, such as `DNS example.org`; nil on a server's side.
    package var verifiedName: String?
    /// When the server's certificate ends, in seconds since 1970; nil on a server's side.
    package var certificateEnd: Int64?
    /// SHA-256 of the server's key (SubjectPublicKeyInfo), as pins have it; nil on a server's side.
    package var keyDigest: [UInt8]?
    /// What ALPN agreed on (RFC 7301).
    package var applicationProtocol: String?
    /// The host that the client asked for (SNI, RFC 6066 section 3); nil for an address.
    package var serverName: String?
    /// Whether we showed a certificate of our own, in this handshake or in that of the session which it resumed; true on a
    /// server's side.
    package var showedCertificate: Bool
    /// Whether the peer did: what a server's side needs to know for SASL EXTERNAL (XEP-0178).
    package var peerShowedCertificate: Bool

    package init(
        version: String, cipher: String, versionNumber: UInt16 = 0, isResumed: Bool = false,
        bindings: TLSChannelBindings = TLSChannelBindings(), verifiedName: String? = nil, certificateEnd: Int64? = nil,
        keyDigest: [UInt8]? = nil, applicationProtocol: String? = nil, serverName: String? = nil,
        showedCertificate: Bool = false,
        peerShowedCertificate: Bool = false
    ) {
        self.version = version
        self.cipher = cipher
        self.versionNumber = versionNumber
        self.isResumed = isResumed
        self.bindings = bindings
        self.verifiedName = verifiedName
        self.certificateEnd = certificateEnd
        self.keyDigest = keyDigest
        self.applicationProtocol = applicationProtocol
        self.serverName = serverName
        self.showedCertificate = showedCertificate
        self.peerShowedCertificate = peerShowedCertificate
    }
}

/// The channel binding data of a connection, each nil where this connection cannot have it.
package struct TLSChannelBindings: Sendable, Hashable {
    /// `tls-exporter` (RFC 9266).
    package var exporter: [UInt8]?
    /// `tls-server-end-point` (RFC 5929 section 4).
    package var serverEndPoint: [UInt8]?
    /// `tls-unique` (RFC 5929 section 3): TLS 1.2 only.
    package var unique: [UInt8]?

    package init(exporter: [UInt8]? = nil, serverEndPoint: [UInt8]? = nil, unique: [UInt8]? = nil) {
        self.exporter = exporter
        self.serverEndPoint = serverEndPoint
        self.unique = unique
    }
}
