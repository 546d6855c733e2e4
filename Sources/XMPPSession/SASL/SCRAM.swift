import XMPPCore
package import XMPPCrypto

/// The client's side of one SCRAM exchange (RFC 5802, RFC 7677), also with channel binding (the -PLUS forms).
package struct SCRAM: Sendable {
    /// The hash function; whether the form is -PLUS is the `Binding`'s matter.
    package enum Mechanism: String, Sendable, CaseIterable {
        // In the order of preference.
        case sha512 = "SCRAM-SHA-512"
        case sha256 = "SCRAM-SHA-256"
        case sha1 = "SCRAM-SHA-1"

        var algorithm: HashAlgorithm {
            switch self {
            case .sha512: .sha512
            case .sha256: .sha256
            case .sha1: .sha1
            }
        }

        /// The name of the form with channel binding.
        package var plus: String { rawValue + "-PLUS" }
    }

    /// What to do next.
    package enum Step: Sendable, Equatable {
        case derive(SCRAMDerivation)
        /// Answer the challenge with these bytes.
        case respond([UInt8])
    }

    private enum State {
        case initial
        case firstSent
        case deriving(serverFirst: String, nonce: String)
        case finalSent(signature: [UInt8])
        /// The server has proved itself in a challenge; only `<success/>` is left.
        case verified
        case finished
    }

    private let mechanism: Mechanism
    private let username: String
    private let password: Secret
    private let nonce: String
    private let iterationBounds: ClosedRange<Int>
    private let binding: Binding
    private let check: DowngradeCheck?
    private var state = State.initial

    /// An exchange for one login.
    ///
    /// - Parameters:
    ///   - mechanism: Its hash.
    ///   - username: The local part of the account.
    ///   - password: What the user has; SASLprep is done here.
    ///   - nonce: Printable ASCII without a comma, made for this exchange alone.
    ///   - iterationBounds: The iterations that a server may ask for.
    ///   - binding: What is said and proved of the channel.
    ///   - check: What the server's view of its offer is compared with.
    /// - Throws: `passwordUnusable` where SASLprep refuses the password.
    package init(
        _ mechanism: Mechanism,
        username: String,
        password: Secret,
        nonce: String,
        iterationBounds: ClosedRange<Int> = 4096...100_000,
        binding: Binding = .unsupported,
        check: DowngradeCheck? = nil
    ) throws(SessionError) {
        let prepared = String(validating: password.bytes, as: UTF8.self).flatMap { SASLPrep.prepare($0) }
        guard let prepared, !prepared.isEmpty else { throw .passwordUnusable }
        self.mechanism = mechanism
        self.username = username
        self.password = Secret(prepared)
        self.nonce = nonce
        self.iterationBounds = iterationBounds
        self.binding = binding
        self.check = check
    }

    private var firstBare: String { "n=\(escaped(username)),r=\(nonce)" }

    /// The first message.
    package mutating func clientFirst() -> [UInt8] {
        state = .firstSent
        return Array((binding.header + firstBare).utf8)
    }

    /// Takes a challenge.
    ///
    /// - Throws: Where the server broke the protocol; nothing was or will be proved to it.
    package mutating func received(challenge: [UInt8]) throws(SessionError) -> Step {
        switch state {
        case .firstSent:
            state = .finished
            guard let text = String(validating: challenge, as: UTF8.self) else {
                throw .malformedChallenge("not UTF-8")
            }
            let first = try SCRAMServerFirst(text, clientNonce: nonce, iterationBounds: iterationBounds)
            try check?.verify(first, mechanism.algorithm)
            state = .deriving(serverFirst: text, nonce: first.nonce)
            return .derive(
                SCRAMDerivation(
                    algorithm: mechanism.algorithm,
                    password: password,
                    salt: first.salt,
                    iterations: first.iterations
                )
            )
        case .finalSent(let signature):
            // A profile may put the server's last message into a challenge (RFC 4422 section 3.6); the answer is empty.
            state = .finished
            try verify(challenge, against: signature)
            state = .verified
            return .respond([])
        case .initial, .deriving, .verified, .finished:
            state = .finished
            throw .unexpected("a challenge out of turn")
        }
    }

    /// Whether the derived keys are awaited.
    var isDeriving: Bool {
        if case .deriving = state { true } else { false }
    }

    /// Takes the derived keys.
    ///
    /// - Returns: The last message, with the proof; nil where no derivation was asked for.
    package mutating func derived(_ keys: SCRAMKeys) -> [UInt8]? {
        guard case .deriving(let serverFirst, let nonce) = state else { return nil }
        let withoutProof = "c=\(Base64.encode(binding.proved)),r=\(nonce)"
        let message = Array("\(firstBare),\(serverFirst),\(withoutProof)".utf8)
        let algorithm = mechanism.algorithm
        let clientKey = keys.clientKey.bytes
        let storedKey = digest(algorithm, clientKey)
        let proof = zip(clientKey, hmac(algorithm, key: storedKey, message: message)).map { $0 ^ $1 }
        state = .finalSent(signature: hmac(algorithm, key: keys.serverKey.bytes, message: message))
        return Array("\(withoutProof),p=\(Base64.encode(proof))".utf8)
    }

    /// Takes `<success/>`.
    ///
    /// - Parameter data: What it holds; nil where it holds nothing.
    /// - Throws: `serverNotAuthenticated` unless the server has proved that it knows the password (RFC 5802 section 5):
    ///   whoever can say "success" must not be taken for the server.
    package mutating func succeeded(with data: [UInt8]?) throws(SessionError) {
        let before = state
        state = .finished
        switch before {
        case .verified:
            guard data == nil || data == [] else { throw .serverNotAuthenticated }
        case .finalSent(let signature):
            guard let data else { throw .serverNotAuthenticated }
            try verify(data, against: signature)
        case .initial, .firstSent, .deriving, .finished:
            throw .serverNotAuthenticated
        }
    }

    private func verify(_ serverFinal: [UInt8], against signature: [UInt8]) throws(SessionError) {
        // `v=`, then extensions, if any. An `e=` is no proof.
        guard serverFinal.starts(with: "v=".utf8) else { throw .serverNotAuthenticated }
        let value = serverFinal.dropFirst(2).prefix { $0 != UInt8(ascii: ",") }
        guard let text = String(validating: value, as: UTF8.self), let claimed = Base64.decode(text),
            constantTimeEquals(claimed, signature)
        else { throw .serverNotAuthenticated }
    }
}

extension SCRAM {
    /// What the client says of channel binding, and the server checks against what it offered (RFC 5802 section 6).
    package enum Binding: Sendable, Hashable {
        /// `n`: this client does not bind the channel; said also where the server offers it and no type fits.
        case unsupported
        /// `y`: this client would, but saw no -PLUS offered; never said where one was.
        case notOffered
        /// `p`: bound, by data of that type.
        case bound(ChannelBindingType, [UInt8])

        /// The GS2 header (RFC 5802 section 7), without an authorization identity.
        var header: String {
            switch self {
            case .unsupported: "n,,"
            case .notOffered: "y,,"
            case .bound(let type, _): "p=\(type.rawValue),,"
            }
        }

        /// What `c=` holds: the header again, and the binding data.
        var proved: [UInt8] {
            switch self {
            case .unsupported, .notOffered: Array(header.utf8)
            case .bound(_, let data): Array(header.utf8) + data
            }
        }
    }
}

/// RFC 5802 section 5.1: a comma and an equals sign are escaped in names.
private func escaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: ","): bytes += "=2C".utf8
        case UInt8(ascii: "="): bytes += "=3D".utf8
        case _: bytes.append(byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
