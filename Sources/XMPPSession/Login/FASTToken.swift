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
}

extension FASTToken: Equatable {
    /// Compares all but the token: a secret has no `==`.
    package static func == (left: FASTToken, right: FASTToken) -> Bool {
        left.mechanism.utf8.elementsEqual(right.mechanism.utf8) && left.expiry.utf8.elementsEqual(right.expiry.utf8)
    }
}
