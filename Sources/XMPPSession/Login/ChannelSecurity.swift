/// What the negotiation needs to know of the TLS beneath it.
package struct ChannelSecurity: Sendable, Hashable {
    /// The version as on the wire: 0x0303, 0x0304; nil where it is not known.
    package var tlsVersion: UInt16?
    /// The channel binding data of this connection, of each type that it can have.
    package var bindings: [ChannelBindingType: [UInt8]]
    /// Whether we showed a certificate, so that EXTERNAL may work.
    package var showedCertificate: Bool

    package init(
        tlsVersion: UInt16? = nil, bindings: [ChannelBindingType: [UInt8]] = [:], showedCertificate: Bool = false
    ) {
        self.tlsVersion = tlsVersion
        self.bindings = bindings
        self.showedCertificate = showedCertificate
    }
}

/// A type of channel binding (RFC 5056), by its registered name.
package enum ChannelBindingType: String, Sendable, Hashable, CaseIterable {
    // In the order of preference.
    case exporter = "tls-exporter"
    case unique = "tls-unique"
    case serverEndPoint = "tls-server-end-point"
}
