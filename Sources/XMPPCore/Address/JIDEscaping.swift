/// The escapes of XEP-0106, by which a local part can stand for a text with characters that RFC 7622 forbids in it.
///
/// An escaped local part is an ordinary one, and addresses are always compared escaped. Unescaped text is for showing and
/// for typing: it may hold `@` and `/`, so that it must never be read as an address.
public enum JIDEscaping {
    /// Escapes a text so that it can be a local part.
    ///
    /// A backslash is escaped only where it would otherwise begin an escape.
    ///
    /// - Parameter text: What a person typed, such as `d'artagnan`.
    /// - Returns: The text escaped, such as `d\27artagnan`; whether it is a local part `BareJID` tells.
    /// - Throws: `JIDError` where the text begins or ends with a space, which XEP-0106 has no escape for there.
    public static func escape(_ text: String) throws(JIDError) -> String {
        let bytes = Array(text.utf8)
        guard bytes.first != space, bytes.last != space else { throw JIDError(.forbiddenCharacter, in: .local) }
        var output: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if byte == backslash ? character(at: index, of: bytes) != nil : escapes.contains(byte) {
                output += [backslash, digit(byte >> 4), digit(byte & 15)]
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Undoes the escapes of a local part, for showing it.
    ///
    /// What is no escape stays as it is, and so does `\20` at the begin or the end, which stands for nothing there.
    ///
    /// - Parameter local: A local part, such as `d\27artagnan`.
    /// - Returns: What it stands for, such as `d'artagnan`.
    public static func unescape(_ local: String) -> String {
        let bytes = Array(local.utf8)
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let character = character(at: index, of: bytes),
                character != space || (index > 0 && index + 3 < bytes.count)
            {
                output.append(character)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let backslash = UInt8(ascii: "\\")
    private static let space = UInt8(ascii: " ")
    /// XEP-0106 section 3: the space, the eight characters of RFC 7622 section 3.3.1, and the backslash itself.
    private static let escapes: Set<UInt8> = Set(" \"&'/:<>@\\".utf8)

    /// The character that the escape there stands for, or nil where none begins there.
    ///
    /// Digits are lower case (section 3.2).
    private static func character(at index: Int, of bytes: [UInt8]) -> UInt8? {
        guard index + 2 < bytes.count, bytes[index] == backslash, let high = value(bytes[index + 1]),
            let low = value(bytes[index + 2]), escapes.contains(high << 4 | low)
        else { return nil }
        return high << 4 | low
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case _: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
