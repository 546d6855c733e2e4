package import XMPPCrypto
package import XMPPSession
import XMPPTransport

/// Keys of SCRAM logins, so that a login again costs no PBKDF2 (RFC 5802 section 3 allows to keep them).
///
/// In memory only and shared by all connections of a process. What a key is for (hash, salt, iterations, password) is
/// known by a digest under a random key of this cache; an entry goes when the login that used it is refused.
package final class SCRAMKeyCache: Sendable {
    private struct State {
        var entries: [SCRAMDerivation.CacheKey: SCRAMKeys] = [:]
        /// In the order in which they came.
        var order: [SCRAMDerivation.CacheKey] = []
    }

    /// The one of this process.
    package static let shared = SCRAMKeyCache()

    /// For `SCRAMDerivation.cacheKey`.
    package let secret = Secret(randomBytes(32))
    private let bound: Int
    private let state = Locked(State())

    /// - Parameter bound: How many it keeps; the oldest half goes when there are more.
    package init(bound: Int = 20_000) {
        self.bound = max(2, bound)
    }

    package subscript(key: SCRAMDerivation.CacheKey) -> SCRAMKeys? { state.withLock { $0.entries[key] } }

    package func insert(_ keys: SCRAMKeys, for key: SCRAMDerivation.CacheKey) {
        state.withLock { state in
            if state.entries.updateValue(keys, forKey: key) == nil { state.order.append(key) }
            guard state.order.count > bound else { return }
            // Half at once: each single one would move the whole rest.
            for key in state.order.prefix(bound / 2) { state.entries[key] = nil }
            state.order.removeFirst(bound / 2)
        }
    }

    package func remove(_ key: SCRAMDerivation.CacheKey) {
        state.withLock { state in
            guard state.entries.removeValue(forKey: key) != nil else { return }
            state.order.removeAll { $0 == key }
        }
    }

    package var count: Int { state.withLock { $0.entries.count } }
}
