import XMPPCore
import XMPPCrypto

/// A token that was given to a client (XEP-0484).
struct ServerToken {
    let mechanism: String
    let text: String
    /// The user agent that it was given to.
    let agent: String

    /// The data that the initiator, or the responder, shows (draft-schmaus-kitten-sasl-ht section 3).
    func proof(of role: String, _ bindings: ServerBindings) -> [UInt8]? {
        let parts = mechanism.split(separator: "-").map(String.init)
        guard parts.count >= 3, parts[0] == "HT", let binding = parts.last else { return nil }
        let algorithm: HashAlgorithm
        switch parts[1..<(parts.count - 1)].joined(separator: "-") {
        case "SHA-256": algorithm = .sha256
        case "SHA-512": algorithm = .sha512
        default: return nil
        }
        let data: [UInt8]?
        switch binding {
        case "NONE": data = []
        case "EXPR": data = bindings["tls-exporter"]
        case "ENDP": data = bindings["tls-server-end-point"]
        case "UNIQ": data = bindings["tls-unique"]
        default: data = nil
        }
        guard let data else { return nil }
        return hmac(algorithm, key: Array(text.utf8), message: Array(role.utf8) + data)
    }
}

/// The channel bindings of one connection, by their registered names.
struct ServerBindings {
    var data: [String: [UInt8]] = [:]

    subscript(name: String) -> [UInt8]? { data[name] }
}
