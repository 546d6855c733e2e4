package import XMPPTransport

extension TLSSummary {
    /// What both ends of a connection in memory are told: TLS 1.3, with bindings that both know.
    package static let inMemory = TLSSummary(
        version: "TLSv1.3", cipher: "none", versionNumber: 0x0304,
        bindings: TLSChannelBindings(
            exporter: [UInt8](repeating: 0x0E, count: 32), serverEndPoint: [UInt8](repeating: 0x0D, count: 32)))

    /// As `inMemory`, with TLS 1.2.
    package static let inMemory12 = TLSSummary(
        version: "TLSv1.2", cipher: "none", versionNumber: 0x0303,
        bindings: TLSChannelBindings(
            exporter: [UInt8](repeating: 0x2E, count: 32), serverEndPoint: [UInt8](repeating: 0x0D, count: 32),
            unique: [UInt8](repeating: 0x2A, count: 12)))
}
