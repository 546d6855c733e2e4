import XMPPCore
package import XMPPCrypto

/// What a server offers to log in with, exactly as it was received.
package struct SASLOffer: Sendable, Hashable {
    /// Whether it is `<authentication/>` (XEP-0388) rather than `<mechanisms/>` (RFC 6120).
    package let usesSASL2: Bool
    /// Every mechanism, also those that nobody knows, in the server's order.
    package let mechanisms: [String]
    /// The types of channel binding (XEP-0440); nil where the server says nothing of them.
    package let bindings: [String]?

    package init(usesSASL2: Bool, mechanisms: [String], bindings: [String]?) {
        self.usesSASL2 = usesSASL2
        self.mechanisms = mechanisms
        self.bindings = bindings
    }

    /// Reads `<stream:features/>`: SASL2 is taken where there is any of it.
    init(features: Element) {
        let authentication = features.first("authentication", Namespace.sasl2)
        let newer = (authentication?.elements ?? []).filter { $0.matches("mechanism", Namespace.sasl2) }
        usesSASL2 = !newer.isEmpty
        let older = (features.first("mechanisms", Namespace.sasl)?.elements ?? [])
            .filter { $0.matches("mechanism", Namespace.sasl) }
        mechanisms = (newer.isEmpty ? older : newer).map(\.text)
        bindings = features.first("sasl-channel-binding", Namespace.saslChannelBinding)?.elements
            .filter { $0.matches("channel-binding", Namespace.saslChannelBinding) }
            .compactMap { $0[attribute: "type"] }
    }

    /// Whether a mechanism is offered.
    package func has(_ name: String) -> Bool {
        mechanisms.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// Whether a type of channel binding is announced.
    package func announces(_ type: ChannelBindingType) -> Bool {
        bindings?.contains { $0.utf8.elementsEqual(type.rawValue.utf8) } ?? false
    }

    /// The attribute `h` that a server sends which offered just this (XEP-0474 section 4).
    package func downgradeProof(_ algorithm: HashAlgorithm) -> String {
        var text = Self.joined(mechanisms)
        if let bindings { text += [0x1F] + Self.joined(bindings) }
        return Base64.encode(digest(algorithm, text))
    }

    /// Sorted by octets, with a record separator between.
    private static func joined(_ names: [String]) -> [UInt8] {
        Array(names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [0x1E]))
    }
}
