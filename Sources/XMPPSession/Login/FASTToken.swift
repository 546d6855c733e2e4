import XMPPCore
package import XMPPCrypto

/// A token for the next login (XEP-0484); as good as a password.
package struct FASTToken: Sendable {
    /// The mechanism that it is for, such as `HT-SHA-256-EXPR`.
    package var mechanism: String
    package var token: Secret
    /// Until when it is good, as the server wrote it (XEP-0082).
    package var expiry: String

    package init(mechanism: String, token: Secret, expiry: String) {
        self.mechanism = mechanism
        self.token = token
        self.expiry = expiry
    }

    /// Whether it is good no longer: then a login by it is in vain, and some servers count such.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: True only where its end is written as a moment: else the server decides.
    package func hasExpired(at now: Int64) -> Bool {
        seconds(ofDateTime: expiry).map { $0 <= now } ?? false
    }
}

extension FASTToken: Equatable {
    /// Compares all but the token: a secret has no `==`.
    package static func == (left: FASTToken, right: FASTToken) -> Bool {
        left.mechanism.utf8.elementsEqual(right.mechanism.utf8) && left.expiry.utf8.elementsEqual(right.expiry.utf8)
    }
}
