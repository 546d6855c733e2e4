import COpenSSL

/// Whether two byte strings are equal, in a time that depends on their lengths only.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return CRYPTO_memcmp(left, right, left.count) == 0
}

/// Two lower-case digits a byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Bytes nobody can guess, from the system's generator.
package func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<max(0, count)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}
