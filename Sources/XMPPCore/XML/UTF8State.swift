/// Checks UTF-8 byte by byte (the table of RFC 3629 section 4), and that nothing is there that XML 1.0 cannot hold:
/// no control character, neither U+FFFE nor U+FFFF (section 2.2), which libxml2 finds only with what comes behind them.
struct UTF8State {
    private var missing = 0
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF
    private var isAfterEF = false

    var isBetweenCharacters: Bool { missing == 0 }

    mutating func accepts(_ byte: UInt8) -> Bool {
        if missing == 0 {
            allowed = 0x80...0xBF
            switch byte {
            case 0x20...0x7F, 0x09, 0x0A, 0x0D: return true
            case 0xC2...0xDF: missing = 1
            case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
            case 0xED: (missing, allowed) = (2, 0x80...0x9F)
            case 0xEF: (missing, isAfterEF) = (2, true)
            case 0xE1...0xEE: missing = 2
            case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
            case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
            case 0xF1...0xF3: missing = 3
            case _: return false
            }
            return true
        }
        guard allowed.contains(byte) else { return false }
        missing -= 1
        allowed = isAfterEF && byte == 0xBF ? 0x80...0xBD : 0x80...0xBF
        isAfterEF = false
        return true
    }

    /// What a byte is that was not accepted.
    ///
    /// What violates UTF-8 is an encoding that nobody supports (RFC 6120 sections 4.9.3.22 and 11.6); a character in UTF-8
    /// that XML cannot hold is not well-formed.
    func fault(of byte: UInt8) -> StreamError.Condition {
        let isCharacter = missing == 0 ? byte < 0x20 : allowed.upperBound == 0xBD && (0xBE...0xBF).contains(byte)
        return isCharacter ? .notWellFormed : .unsupportedEncoding
    }
}
