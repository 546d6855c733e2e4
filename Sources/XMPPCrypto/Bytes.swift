import COpenSSL

/// Whether two byte strings are equal, in a time that depends on their lengths only.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return CRYPTO_memcmp(left, right, left.count) == 0
}

/// Two lower-case digits a byte.
///
/// Of a slice of an array, since it is called from other modules: a generic one would not be made for what it gets.
package func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value }
    return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
        var end = 0
        for byte in bytes {
            text[end] = digit(byte >> 4)
            text[end + 1] = digit(byte & 15)
            end += 2
        }
        return end
    }
}

package func hexadecimal(_ bytes: [UInt8]) -> String { hexadecimal(bytes[...]) }

/// Bytes nobody can guess, from the system's generator.
package func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(max(0, count) + 7)
    // Eight at a time: each number is a call into the kernel.
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
    return Array(bytes.prefix(max(0, count)))
}
