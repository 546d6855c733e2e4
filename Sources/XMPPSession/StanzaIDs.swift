import XMPPCrypto

/// Makes the ids of our stanzas: unique, and none can be told from another.
///
/// Everybody we ask sees the id of his request; from it he must not learn those of others.
package struct StanzaIDs: Sendable {
    private static let length = 12

    private let key: Secret
    private var counter: UInt64 = 0
    /// The ids to come, from the last on: an HMAC is good for five.
    private var ahead: ArraySlice<UInt8> = []

    /// - Parameter prefix: At least 8 random bytes, new for each connection.
    package init(prefix: [UInt8]) {
        key = Secret(prefix)
    }

    /// The next id: 24 hexadecimal digits.
    package mutating func next() -> String {
        if ahead.count < Self.length {
            counter &+= 1
            let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
            ahead = hmac(.sha512, key: key.bytes, message: message)[...]
        }
        defer { ahead.removeLast(Self.length) }
        return hexadecimal(ahead.suffix(Self.length))
    }
}
