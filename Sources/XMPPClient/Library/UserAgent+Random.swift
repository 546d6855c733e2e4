import XMPPCrypto
package import XMPPSession

extension UserAgent {
    /// A UUID of version 4 (RFC 9562 section 5.4).
    package static func randomID(by chance: (Int) -> [UInt8] = { randomBytes($0) }) -> String {
        // As many as are asked for, whoever makes them.
        var bytes = Array((chance(16) + [UInt8](repeating: 0, count: 16)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(hexadecimal(bytes))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(digits[$0]) }.joined(separator: "-")
    }
}

/// Evenly from 0 up to 1.
func fraction(of chance: (Int) -> [UInt8]) -> Double {
    let bits = chance(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Double(bits >> 11) * 0x1p-53
}
