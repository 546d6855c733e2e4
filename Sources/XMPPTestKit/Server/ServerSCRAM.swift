import XMPPCore
import XMPPCrypto

/// The server's side of one SCRAM exchange (RFC 5802), for tests.
struct ServerSCRAM {
    /// What the server holds and offers.
    struct Setting {
        /// All that the client was offered, in the list that it chose from.
        var offered: [String]
        var bindings = ServerBindings()
        var iterations = 4096
        var refusesFlagY = false
        /// Behind the iteration count, each with its comma.
        var attributes = ""
    }

    private let algorithm: HashAlgorithm
    private let firstBare: String
    private let serverFirst: String
    private let salted: [UInt8]
    /// What `c=` must be.
    private let expectedBinding: [UInt8]
    /// The name that the client gave.
    let username: String

    /// Begins with the client's first message, such as `n,,n=user,r=nonce`.
    ///
    /// - Throws: The condition with which the login is refused.
    init(
        mechanism: String, clientFirst: [UInt8], _ setting: Setting, password: (String) -> String?
    ) throws(SASLRefusal) {
        guard setting.offered.contains(mechanism), let algorithm = Self.algorithm(of: mechanism) else {
            throw SASLRefusal("invalid-mechanism")
        }
        self.algorithm = algorithm
        let text = String(decoding: clientFirst, as: UTF8.self)
        let parts = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts[1].isEmpty else { throw SASLRefusal("malformed-request") }
        let header = Array("\(parts[0]),,".utf8)
        let bindsChannel = mechanism.hasSuffix("-PLUS")
        switch parts[0] {
        case "n" where !bindsChannel:
            expectedBinding = header
        case "y" where !bindsChannel:
            // RFC 5802 section 6: somebody has taken the offers away.
            guard !setting.refusesFlagY, !setting.offered.contains(where: { $0.hasSuffix("-PLUS") }) else {
                throw SASLRefusal("malformed-request")
            }
            expectedBinding = header
        case let flag where flag.hasPrefix("p=") && bindsChannel:
            guard let data = setting.bindings[String(flag.dropFirst(2))] else { throw SASLRefusal("not-authorized") }
            expectedBinding = header + data
        default:
            throw SASLRefusal("malformed-request")
        }
        firstBare = parts[2]
        let fields = firstBare.split(separator: ",")
        guard fields.count >= 2, fields[0].hasPrefix("n="), fields[1].hasPrefix("r=") else {
            throw SASLRefusal("malformed-request")
        }
        username = Self.unescaped(String(fields[0].dropFirst(2)))
        let salt = Array("salt of \(username)".utf8)
        serverFirst =
            "\(fields[1])server-nonce,s=\(Base64.encode(salt)),i=\(setting.iterations)\(setting.attributes)"
        let text2 = password(username) ?? "no such account"
        salted = pbkdf2(
            algorithm, password: Secret(SASLPrep.prepare(text2) ?? text2), salt: salt, iterations: setting.iterations)
    }

    var challenge: [UInt8] { Array(serverFirst.utf8) }

    /// Checks the client's proof, and what it bound.
    ///
    /// - Returns: The server's last message, or nil where the password or the channel was another.
    func final(for response: [UInt8]) -> [UInt8]? {
        let fields = String(decoding: response, as: UTF8.self).split(separator: ",")
        guard let first = fields.first, first.hasPrefix("c="), let last = fields.last, last.hasPrefix("p="),
            let binding = Base64.decode(String(first.dropFirst(2))), binding == expectedBinding,
            let proof = Base64.decode(String(last.dropFirst(2)))
        else { return nil }
        let withoutProof = fields.dropLast().joined(separator: ",")
        let message = Array("\(firstBare),\(serverFirst),\(withoutProof)".utf8)
        let storedKey = digest(algorithm, hmac(algorithm, key: salted, message: Array("Client Key".utf8)))
        let signature = hmac(algorithm, key: storedKey, message: message)
        guard proof.count == signature.count, digest(algorithm, zip(proof, signature).map { $0 ^ $1 }) == storedKey
        else { return nil }
        let serverKey = hmac(algorithm, key: salted, message: Array("Server Key".utf8))
        return Array("v=\(Base64.encode(hmac(algorithm, key: serverKey, message: message)))".utf8)
    }

    static func algorithm(of mechanism: String) -> HashAlgorithm? {
        switch mechanism {
        case "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS": .sha1
        case "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS": .sha256
        case "SCRAM-SHA-512", "SCRAM-SHA-512-PLUS": .sha512
        default: nil
        }
    }

    /// The attribute `h` (XEP-0474 section 2.2): a digest of the offered mechanisms and channel bindings.
    static func offerDigest(_ algorithm: HashAlgorithm, mechanisms: [String], bindings: [String]?) -> String {
        func joined(_ names: [String]) -> [UInt8] {
            Array(names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [0x1E]))
        }
        var text = joined(mechanisms)
        if let bindings { text += [0x1F] + joined(bindings) }
        return Base64.encode(digest(algorithm, text))
    }

    private static func unescaped(_ name: String) -> String {
        var parts = name.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            if parts[index].hasPrefix("2C") { parts[index] = "," + parts[index].dropFirst(2) }
            if parts[index].hasPrefix("3D") { parts[index] = "=" + parts[index].dropFirst(2) }
        }
        return parts.joined()
    }
}

/// Why the server refuses a login, as a condition of RFC 6120 section 6.5.
struct SASLRefusal: Error {
    let condition: String

    init(_ condition: String) {
        self.condition = condition
    }
}
