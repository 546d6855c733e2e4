import XMPPCore
import XMPPCrypto

/// The server's first message (RFC 5802 section 7).
struct SCRAMServerFirst {
    let nonce: String
    let salt: [UInt8]
    let iterations: Int
    /// `h`: the hash of what the server offers (XEP-0474).
    let offerHash: String?
    /// `t`: the version of TLS as the server sees it (XEP-0515).
    let tlsVersion: String?

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
        guard let iterations = positive(count), iterationBounds.contains(iterations) else {
            throw .iterationsOutOfBounds(count, iterationBounds)
        }
        let extensions = fields.dropFirst(3)
        if extensions.contains(where: { $0.starts(with: "m=".utf8) }) {
            throw .malformedChallenge("an extension that is mandatory and unknown")
        }
        self.nonce = nonce
        self.salt = salt
        self.iterations = iterations
        offerHash = try Self.only("h", extensions)
        tlsVersion = try Self.only("t", extensions)
    }

    /// The value of an optional attribute, which must not be there twice: each reader would believe another.
    private static func only(
        _ name: Character, _ fields: ArraySlice<Substring.UTF8View>
    ) throws(SessionError) -> String? {
        let values = fields.compactMap { value(name, $0) }
        guard values.count <= 1 else { throw .malformedChallenge("an attribute that is there twice") }
        return values.first
    }
}

/// A positive number in digits alone, without a sign and without leading zeros.
private func positive(_ text: String) -> Int? {
    guard (1...9).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "0"),
        text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
}

private func value(_ name: Character, _ field: Substring.UTF8View) -> String? {
    guard field.starts(with: "\(name)=".utf8) else { return nil }
    return String(Substring(field.dropFirst(2)))
}

/// Compares what the server says that it offered with what arrived here.
///
/// The server's words are part of what both sides prove, so nobody in between can change them.
package struct DowngradeCheck: Sendable, Hashable {
    let offer: SASLOffer
    /// As on the wire.
    let tlsVersion: UInt16?
    /// Whether the login ends where the server says nothing: it was chosen trusting in this check.
    let isRequired: Bool

    package init(offer: SASLOffer, tlsVersion: UInt16?, isRequired: Bool = false) {
        self.offer = offer
        self.tlsVersion = tlsVersion
        self.isRequired = isRequired
    }

    func verify(_ first: SCRAMServerFirst, _ algorithm: HashAlgorithm) throws(SessionError) {
        if let hash = first.offerHash {
            guard hash.utf8.elementsEqual(offer.downgradeProof(algorithm).utf8) else {
                throw .downgradeDetected("the server offered other logins than those that arrived here (XEP-0474)")
            }
        } else if isRequired {
            throw .bindingOfferUnusable("no type of channel binding that the server announces can be made here")
        }
        if let version = first.tlsVersion {
            guard let tlsVersion, version.utf8.elementsEqual(fourDigits(tlsVersion).utf8) else {
                throw .downgradeDetected("the server sees another version of TLS than this side (XEP-0515)")
            }
        }
    }

    private func fourDigits(_ version: UInt16) -> String {
        hexadecimal([UInt8(version >> 8), UInt8(version & 0xFF)])
    }
}
