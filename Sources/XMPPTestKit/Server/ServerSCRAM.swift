import XMPPCore
import XMPPCrypto

/// The server's side of one SCRAM exchange (RFC 5802), for tests.
struct ServerSCRAM {
    private let algorithm: HashAlgorithm
    private let firstBare: String
    private let serverFirst: String
    private let salted: [UInt8]
    /// The name that the client gave.
    let username: String

    static let iterations = 4096

    /// Begins with the client's first message, `n,,n=user,r=nonce`.
    init?(mechanism: String, clientFirst: [UInt8], password: (String) -> String?) {
        switch mechanism {
        case "SCRAM-SHA-1": algorithm = .sha1
        case "SCRAM-SHA-256": algorithm = .sha256
        default: return nil
        }
        let text = String(decoding: clientFirst, as: UTF8.self)
        let parts = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "n" else { return nil }
        firstBare = String(parts[2])
        let fields = firstBare.split(separator: ",")
        guard fields.count >= 2, fields[0].hasPrefix("n="), fields[1].hasPrefix("r=") else { return nil }
        username = String(fields[0].dropFirst(2))
        let salt = Array("salt of \(username)".utf8)
        serverFirst = "\(fields[1])server-nonce,s=\(Base64.encode(salt)),i=\(Self.iterations)"
        salted = pbkdf2(
            algorithm,
            password: Secret(password(username) ?? "no such account"),
            salt: salt,
            iterations: Self.iterations
        )
    }

    var challenge: [UInt8] { Array(serverFirst.utf8) }

    /// Checks the client's proof.
    ///
    /// - Returns: The server's last message, or nil where the password was another.
    func final(for response: [UInt8]) -> [UInt8]? {
        let fields = String(decoding: response, as: UTF8.self).split(separator: ",")
        guard let last = fields.last, last.hasPrefix("p="), let proof = Base64.decode(String(last.dropFirst(2)))
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
}
