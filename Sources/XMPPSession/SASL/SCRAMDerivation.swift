package import XMPPCrypto

/// A key derivation to be done: thousands of hashes, so off the event loop.
package struct SCRAMDerivation: Sendable {
    package let algorithm: HashAlgorithm
    package let salt: [UInt8]
    package let iterations: Int
    private let password: Secret

    init(algorithm: HashAlgorithm, password: Secret, salt: [UInt8], iterations: Int) {
        self.algorithm = algorithm
        self.password = password
        self.salt = salt
        self.iterations = iterations
    }

    /// Does it (RFC 5802 section 3).
    package func deriveKeys() -> SCRAMKeys {
        let salted = pbkdf2(algorithm, password: password, salt: salt, iterations: iterations)
        return SCRAMKeys(
            clientKey: Secret(hmac(algorithm, key: salted, message: Array("Client Key".utf8))),
            serverKey: Secret(hmac(algorithm, key: salted, message: Array("Server Key".utf8)))
        )
    }

    /// What the keys may be kept under (RFC 5802 section 5.1 allows it): the same for the same keys.
    ///
    /// - Parameter secret: Random bytes of this process: the password is in the key only as a digest keyed with them,
    ///   so that a key which is seen tells nothing.
    /// - Returns: A key that is equal where algorithm, salt, iterations and password are.
    package func cacheKey(under secret: Secret) -> CacheKey {
        let digest = password.withBytes { password in
            secret.withBytes { hmac(.sha256, key: Array($0), message: Array(password)) }
        }
        return CacheKey(algorithm: algorithm, salt: salt, iterations: iterations, passwordDigest: digest)
    }

    /// What derived keys may be kept under; holds no secret.
    package struct CacheKey: Sendable, Hashable {
        private let algorithm: HashAlgorithm
        private let salt: [UInt8]
        private let iterations: Int
        private let passwordDigest: [UInt8]

        fileprivate init(algorithm: HashAlgorithm, salt: [UInt8], iterations: Int, passwordDigest: [UInt8]) {
            self.algorithm = algorithm
            self.salt = salt
            self.iterations = iterations
            self.passwordDigest = passwordDigest
        }
    }
}

extension SCRAMDerivation: Equatable {
    /// Compares what the server asked for, not the password: a secret has no `==`.
    package static func == (left: SCRAMDerivation, right: SCRAMDerivation) -> Bool {
        left.algorithm == right.algorithm && left.salt == right.salt && left.iterations == right.iterations
    }
}

/// What SCRAM proves and checks with.
package struct SCRAMKeys: Sendable {
    package let clientKey: Secret
    package let serverKey: Secret

    package init(clientKey: Secret, serverKey: Secret) {
        self.clientKey = clientKey
        self.serverKey = serverKey
    }
}
