/// Looks at a file's bytes before libyaml does: encoding and characters that no file should have.
enum TextPrescan {
    /// The text without a byte order mark, up to the line of the first fault.
    static func usablePart(
        of file: SourceFile,
        faults: FaultCollector
    ) -> (text: ArraySlice<UInt8>, isWhole: Bool) {
        let bytes = file.bytes
        if isUTF16(bytes) {
            faults.report(FaultCatalogue.notUTF8, in: file, at: .wholeFile, "the file is UTF-16; save it as UTF-8")
            return ([], false)
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        if let offset = UTF8Check.firstInvalidByte(of: text) {
            let mark = file.mark(ofByte: offset)
            faults.report(
                FaultCatalogue.notUTF8,
                in: file,
                at: mark,
                "byte \(offset) of the file is not UTF-8"
            )
            return (text[..<max(text.startIndex, file.startOfLine(mark.line))], false)
        }
        guard let (offset, words) = firstForbidden(in: text) else { return (text, true) }
        let mark = file.mark(ofByte: offset)
        faults.report(FaultCatalogue.controlCharacter, in: file, at: mark, words)
        return (text[..<max(text.startIndex, file.startOfLine(mark.line))], false)
    }

    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
        // Without a mark: every second byte of plain text is zero.
        guard bytes.count >= 4 else { return false }
        return (bytes[0] == 0 && bytes[1] != 0 && bytes[2] == 0 && bytes[3] != 0)
            || (bytes[0] != 0 && bytes[1] == 0 && bytes[2] != 0 && bytes[3] == 0)
    }

    private static func firstForbidden(in text: ArraySlice<UInt8>) -> (offset: Int, words: String)? {
        text.withUnsafeBufferPointer { bytes in
            var index = -1
            while true {
                index += 1
                // Most bytes are plain.
                while index < bytes.count, bytes[index] >= 0x20, bytes[index] < 0x7F { index += 1 }
                guard index < bytes.count else { return nil }
                let byte = bytes[index]
                let next = index + 1 < bytes.count ? bytes[index + 1] : 0
                let third = index + 2 < bytes.count ? bytes[index + 2] : 0
                let words: String? =
                    switch byte {
                    case UInt8(ascii: "\t"), UInt8(ascii: "\n"): nil
                    case UInt8(ascii: "\r"):
                        next == UInt8(ascii: "\n") ? nil : "a carriage return alone; lines end with a newline"
                    case 0..<0x20, 0x7F: "an invisible control character (U+00\(hex(byte))); remove it"
                    case 0xC2 where (0x80..<0xA0).contains(next):
                        "an invisible control character (U+00\(hex(next))); remove it"
                    // U+2028 and U+2029 are line breaks for YAML and for no editor.
                    case 0xE2 where next == 0x80 && (third == 0xA8 || third == 0xA9):
                        "an invisible line separator (U+20\(third == 0xA8 ? "28" : "29")); remove it"
                    case 0xEF where next == 0xBB && third == 0xBF: "a byte order mark inside the file; remove it"
                    case 0xEF where next == 0xBF && third >= 0xBE:
                        "a code point that is no character; remove it"
                    default: nil
                    }
                if let words { return (text.startIndex + index, words) }
            }
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}

enum UTF8Check {
    /// The offset of the first byte that begins no well-formed sequence.
    static func firstInvalidByte(of bytes: ArraySlice<UInt8>) -> Int? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        var low = bytes.startIndex
        // Line by line: each is valid by itself, or has the fault.
        while low < bytes.endIndex {
            let end = bytes[low...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.endIndex
            if String(validating: bytes[low..<end], as: UTF8.self) == nil {
                var decoder = UTF8()
                var iterator = bytes[low..<end].makeIterator()
                var offset = low
                while case .scalarValue(let scalar) = decoder.decode(&iterator) {
                    offset += UTF8.encode(scalar)?.count ?? 1
                }
                return offset
            }
            low = end
        }
        return nil
    }
}
