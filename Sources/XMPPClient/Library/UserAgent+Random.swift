import XMPPCrypto
package import XMPPSession

extension UserAgent {
    /// A UUID of version 4 (RFC 9562 section 5.4).
    package static func randomID() -> String {
        var bytes = randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(hexadecimal(bytes))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(digits[$0]) }.joined(separator: "-")
    }
}
