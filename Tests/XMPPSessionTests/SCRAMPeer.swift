import XMPPCore
import XMPPCrypto
import XMPPSession

/// The server's side of one SCRAM exchange, as exact or as wrong as a test wants it.
struct SCRAMPeer {
    var mechanism: SCRAM.Mechanism
    var password = "pw"
    var salt = Array("salt".utf8)
    var iterations = 4096
    /// Behind `i=`, with its comma.
    var extensions = ""
    private(set) var clientFirst = ""
    private(set) var clientFinal = ""

    init(_ mechanism: SCRAM.Mechanism, extensions: String = "") {
        self.mechanism = mechanism
        self.extensions = extensions
    }

    private var algorithm: HashAlgorithm {
        switch mechanism {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }

    /// The GS2 header that the client sent.
    var header: String {
        let parts = clientFirst.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.prefix(2).joined(separator: ",") + ","
    }

    private var firstBare: String { String(clientFirst.dropFirst(header.count)) }

    private var serverFirst: String {
        let nonce = firstBare.split(separator: ",").last.map { String($0.dropFirst(2)) } ?? ""
        return "r=\(nonce)server,s=\(Base64.encode(salt)),i=\(iterations)\(extensions)"
    }

    /// The challenge for the client's first message, in base64.
    mutating func challenge(_ clientFirst: [UInt8]) -> String {
        self.clientFirst = String(decoding: clientFirst, as: UTF8.self)
        return Base64.encode(Array(serverFirst.utf8))
    }

    private func key(_ name: String) -> [UInt8] {
        let salted = pbkdf2(algorithm, password: Secret(password), salt: salt, iterations: iterations)
        return hmac(algorithm, key: salted, message: Array(name.utf8))
    }

    /// The server's last message in base64, or nil where the proof, the header or the binding is not right.
    mutating func final(_ clientFinal: [UInt8], bindingData: [UInt8] = []) -> String? {
        self.clientFinal = String(decoding: clientFinal, as: UTF8.self)
        guard let end = self.clientFinal.range(of: ",p=") else { return nil }
        let withoutProof = String(self.clientFinal[..<end.lowerBound])
        guard withoutProof.hasPrefix("c=\(Base64.encode(Array(header.utf8) + bindingData)),"),
            let proof = Base64.decode(String(self.clientFinal[end.upperBound...]))
        else { return nil }
        let message = Array("\(firstBare),\(serverFirst),\(withoutProof)".utf8)
        let stored = digest(algorithm, key("Client Key"))
        let clientKey = zip(proof, hmac(algorithm, key: stored, message: message)).map { $0 ^ $1 }
        guard digest(algorithm, clientKey) == stored else { return nil }
        let signature = hmac(algorithm, key: key("Server Key"), message: message)
        return Base64.encode(Array("v=\(Base64.encode(signature))".utf8))
    }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}

extension [NegotiationAction] {
    /// The base64 of the initial response or response that was sent, decoded.
    var saslData: [UInt8]? {
        guard let element = sentElements.last else { return nil }
        let text = element.first("initial-response", Namespace.sasl2)?.text ?? element.text
        return text == "=" ? [] : Base64.decode(text)
    }

    /// What was sent, read again.
    var sentElements: [XMPPCore.Element] {
        let parser = XMLStreamParser(limits: .normal)
        _ = parser.feed([UInt8](serverHeader.utf8))
        return parser.feed([UInt8](sent.utf8)).compactMap {
            if case .element(let element) = $0 { element } else { nil }
        }
    }

    /// The session that it ends with.
    var session: EstablishedSession? {
        if case .established(let session) = last { session } else { nil }
    }
}
