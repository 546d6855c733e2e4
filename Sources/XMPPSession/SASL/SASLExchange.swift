import XMPPCore
import XMPPCrypto

/// One exchange of any mechanism that we have.
enum SASLExchange: Sendable {
    case scram(SCRAM)
    /// The address to act as, or nothing.
    case external(String)
    case plain(username: String, password: Secret)
    case token(HashedToken)

    /// What goes out with the mechanism's name.
    mutating func initialResponse() -> [UInt8] {
        switch self {
        case .scram(var scram):
            let message = scram.clientFirst()
            self = .scram(scram)
            return message
        case .external(let address): return Array(address.utf8)
        // RFC 4616: nobody to act for, the name, the password.
        case .plain(let username, let password): return [0] + Array(username.utf8) + [0] + password.bytes
        case .token(let token): return token.initiator()
        }
    }

    /// Takes a challenge; nil is one that is not base64.
    mutating func received(challenge: [UInt8]?) throws(SessionError) -> SCRAM.Step {
        guard let challenge else { throw .malformedChallenge("broken base64") }
        switch self {
        case .scram(var scram):
            defer { self = .scram(scram) }
            return try scram.received(challenge: challenge)
        case .external, .plain, .token: throw .unexpected("a challenge where the mechanism has none")
        }
    }

    /// Whether keys are being derived for it.
    var isDeriving: Bool {
        switch self {
        case .scram(let scram): scram.isDeriving
        case .external, .plain, .token: false
        }
    }

    mutating func derived(_ keys: SCRAMKeys) -> [UInt8]? {
        guard case .scram(var scram) = self else { return nil }
        defer { self = .scram(scram) }
        return scram.derived(keys)
    }

    /// Takes the text of `<success/>`, or of its `<additional-data/>`; nil where there is none.
    ///
    /// - Throws: Unless the server has proved itself, where the mechanism lets it.
    mutating func succeeded(with text: String?) throws(SessionError) {
        switch self {
        case .scram(var scram):
            // What is not base64 is no proof.
            try scram.succeeded(with: text.map { SASL.data(of: $0) ?? [0] })
        case .token(let token):
            try token.succeeded(with: text.map { SASL.data(of: $0) ?? [0] })
        case .external, .plain:
            // There is no proof to be had; some servers send empty data all the same, with white space around.
            let trimmed = (text ?? "").utf8.drop(while: isXMLSpace).reversed().drop(while: isXMLSpace).reversed()
            guard SASL.data(of: String(decoding: Array(trimmed), as: UTF8.self)) != nil else {
                throw .malformedChallenge("broken base64")
            }
        }
    }
}

private func isXMLSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}
