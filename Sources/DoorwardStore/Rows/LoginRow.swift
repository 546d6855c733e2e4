package import XMPPCrypto

/// What is kept of an account's logins.
package struct LoginRow: Sendable, Equatable {
    /// SCRAM or EXTERNAL has worked.
    package var isStrong: Bool
    /// A login bound to its TLS connection has worked, by a binding that the server announced.
    package var isBound: Bool
    /// The id by which the server knows this installation (XEP-0388 section 2.3).
    package var userAgent: String
    package var token: Token?

    /// A token for the next login (XEP-0484).
    package struct Token: Sendable, Equatable {
        package var mechanism: String
        package var secret: Secret
        /// As the server wrote it.
        package var expiry: String

        package init(mechanism: String, secret: Secret, expiry: String) {
            self.mechanism = mechanism
            self.secret = secret
            self.expiry = expiry
        }

        package static func == (left: Token, right: Token) -> Bool {
            left.mechanism.utf8.elementsEqual(right.mechanism.utf8) && left.expiry.utf8.elementsEqual(right.expiry.utf8)
                && constantTimeEquals(left.secret.bytes, right.secret.bytes)
        }
    }

    package init(isStrong: Bool = false, isBound: Bool = false, userAgent: String, token: Token? = nil) {
        self.isStrong = isStrong
        self.isBound = isBound
        self.userAgent = userAgent
        self.token = token
    }
}
