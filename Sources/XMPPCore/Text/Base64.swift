/// Base64 as SASL has it: RFC 4648 section 4, strictly (RFC 6120 section 13.9.1).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while let first = rest.popFirst() {
            let second = rest.popFirst()
            let third = second == nil ? nil : rest.popFirst()
            let bits = UInt32(first) << 16 | UInt32(second ?? 0) << 8 | UInt32(third ?? 0)
            output.append(alphabet[Int(bits >> 18 & 63)])
            output.append(alphabet[Int(bits >> 12 & 63)])
            output.append(second == nil ? padding : alphabet[Int(bits >> 6 & 63)])
            output.append(third == nil ? padding : alphabet[Int(bits & 63)])
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes, or nil where the text is not exactly what `encode` writes: a character outside the alphabet, white
    /// space, padding that is wrong or missing, bits left over that are not zero.
    package static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(characters.count / 4 * 3)
        var rest = characters[...]
        while !rest.isEmpty {
            let group = rest.prefix(4)
            rest = rest.dropFirst(4)
            let letters = group.prefix { $0 != padding }
            let padded = group.count - letters.count
            guard padded <= 2, padded == 0 || rest.isEmpty, group.dropFirst(letters.count).allSatisfy({ $0 == padding })
            else { return nil }
            var bits: UInt32 = 0
            for letter in letters {
                guard let value = value(of: letter) else { return nil }
                bits = bits << 6 | value
            }
            switch padded {
            case 0:
                output += [UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
            case 1:
                guard bits & 3 == 0 else { return nil }
                output += [UInt8(bits >> 10 & 255), UInt8(bits >> 2 & 255)]
            case _:
                guard bits & 15 == 0 else { return nil }
                output.append(UInt8(bits >> 4 & 255))
            }
        }
        return output
    }

    private static let padding = UInt8(ascii: "=")

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        case _: nil
        }
    }
}
