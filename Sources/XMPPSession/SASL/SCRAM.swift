import XMPPCore
package import XMPPCrypto

/// The client's side of one SCRAM exchange (RFC 5802, RFC 7677), without channel binding.
package struct SCRAM: Sendable {
    package enum Mechanism: String, Sendable, CaseIterable {
        // In the order of preference.
        case sha256 = "SCRAM-SHA-256"
        case sha1 = "SCRAM-SHA-1"

        var algorithm: HashAlgorithm {
            switch self {
            case .sha256: .sha256
            case .sha1: .sha1
            }
        }
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
    private var state = State.initial

    /// The channel binding flag "n": this client does not bind channels.
    ///
    /// The server compares it with `c=` later.
    private static let header = "n,,"

    /// An exchange for one login.
    ///
    /// The user name is the local part of the account, the password what the user has (SASLprep is done here), the
    /// nonce printable ASCII without a comma, made for this exchange alone.
    ///
    /// - Throws: `passwordUnusable` where SASLprep refuses the password.
    package init(
        _ mechanism: Mechanism,
        username: String,
        password: Secret,
        nonce: String,
        iterationBounds: ClosedRange<Int> = 4096...100_000
    ) throws(SessionError) {
        let prepared = String(validating: password.bytes, as: UTF8.self).flatMap { SASLPrep.prepare($0) }
        guard let prepared, !prepared.isEmpty else { throw .passwordUnusable }
        self.mechanism = mechanism
        self.username = username
        self.password = Secret(prepared)
        self.nonce = nonce
        self.iterationBounds = iterationBounds
    }

    private var firstBare: String { "n=\(escaped(username)),r=\(nonce)" }

    /// The first message.
    package mutating func clientFirst() -> [UInt8] {
        state = .firstSent
        return Array((Self.header + firstBare).utf8)
    }

    /// Takes a challenge.
    ///
    /// - Throws: Where the server broke the protocol; nothing was or will be proved to it.
    package mutating func received(challenge: [UInt8]) throws(SessionError) -> Step {
        switch state {
        case .firstSent:
            guard let text = String(validating: challenge, as: UTF8.self) else {
                throw .malformedChallenge("not UTF-8")
            }
            let first = try SCRAMServerFirst(text, clientNonce: nonce, iterationBounds: iterationBounds)
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

    /// Takes the derived keys.
    ///
    /// - Returns: The last message, with the proof; nil where no derivation was asked for.
    package mutating func derived(_ keys: SCRAMKeys) -> [UInt8]? {
        guard case .deriving(let serverFirst, let nonce) = state else { return nil }
        let binding = Base64.encode(Array(Self.header.utf8))
        let withoutProof = "c=\(binding),r=\(nonce)"
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

/// The server's first message (RFC 5802 section 7).
private struct SCRAMServerFirst {
    let nonce: String
    let salt: [UInt8]
    let iterations: Int

    init(_ text: String, clientNonce: String, iterationBounds: ClosedRange<Int>) throws(SessionError) {
        let fields = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard fields.count >= 3 else { throw .malformedChallenge("a field is missing") }
        guard let nonce = value("r", fields[0]) else {
            // An `m=` in front is a mandatory extension, and none is known.
            throw .malformedChallenge("no nonce in front")
        }
        guard nonce.utf8.starts(with: clientNonce.utf8), nonce.utf8.count > clientNonce.utf8.count else {
            throw .malformedChallenge("the nonce does not extend ours")
        }
        guard nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformedChallenge("a nonce that is not printable")
        }
        guard let salt = value("s", fields[1]).flatMap(Base64.decode), !salt.isEmpty else {
            throw .malformedChallenge("no salt")
        }
        guard let count = value("i", fields[2]) else { throw .malformedChallenge("no iteration count") }
        guard let iterations = Self.positive(count), iterationBounds.contains(iterations) else {
            throw .iterationsOutOfBounds(iterationBounds)
        }
        for field in fields.dropFirst(3) where field.starts(with: "m=".utf8) {
            throw .malformedChallenge("an extension that is mandatory and unknown")
        }
        self.nonce = nonce
        self.salt = salt
        self.iterations = iterations
    }

    /// A positive number in digits alone, without a sign and without leading zeros.
    private static func positive(_ text: String) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "0"),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }
}

private func value(_ name: Character, _ field: Substring.UTF8View) -> String? {
    guard field.starts(with: "\(name)=".utf8) else { return nil }
    return String(Substring(field.dropFirst(2)))
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
