import XMPPCrypto

/// Makes the ids of our stanzas: unique, and none can be told from another.
///
/// Everybody we ask sees the id of his request; from it he must not learn those of others.
package struct StanzaIDs: Sendable {
    private let key: Secret
    private var counter: UInt64 = 0

    /// - Parameter prefix: At least 8 random bytes, new for each connection.
    package init(prefix: [UInt8]) {
        key = Secret(prefix)
    }

    /// The next id: 24 hexadecimal digits.
    package mutating func next() -> String {
        counter &+= 1
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
        return hexadecimal(hmac(.sha256, key: key.bytes, message: message).prefix(12))
    }
}
