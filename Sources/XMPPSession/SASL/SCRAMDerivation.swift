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
