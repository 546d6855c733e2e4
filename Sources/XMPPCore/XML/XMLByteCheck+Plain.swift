/// The quick way over plain ASCII in plain markup, which nearly every read is from its begin to its end.
extension XMLByteCheck {
    /// Reads of more bytes go the long way: a shorter one is far below each bound of a tag.
    private static let plainBound = 32_768

    /// Looks at the first bytes, up to one that is not plain ASCII in plain markup: of nearly every read, at all.
    ///
    /// - Returns: How many were looked at, all of which are fine.
    mutating func scanPlain(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard utf8.isBetweenCharacters, reference == 0, bytes.count <= Self.plainBound,
            scanned - tagStart <= Self.plainBound || markup.isText
        else { return 0 }
        var index = 0
        while index < bytes.count {
            switch markup {
            case .text:
                index = bytes.endOfPlain(from: index, before: UInt8(ascii: "<"))
                guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else { return index }
                textEnded(at: scanned + index)
                markup = .opening
                index += 1
            case .opening:
                guard Self.isOrdinary(bytes[index]) && open <= limits.depth || bytes[index] == UInt8(ascii: "/") else {
                    return index
                }
                tagBegan(bytes[index], at: scanned + index)
                markup = .tag(matched: 6)
                index += 1
            case .tag(let matched):
                let begin = index
                scanTag(bytes, &index, matched)
                if index == begin { return index }
            case .quoted(let quote, let isDeclaration):
                index = bytes.endOfPlain(from: index, before: quote)
                guard index < bytes.count, bytes[index] == quote,
                    !isOver(withDeclaration: isDeclaration, at: scanned + index)
                else { return index }
                if isDeclaration { declared += 1 }
                markup = .tag(matched: 0)
                index += 1
            case .start, .surplus, .surplusQuoted, .bang, .cdata, .declaration, .instruction:
                return index
            }
        }
        return bytes.count
    }

    /// Looks at a tag up to behind its end, or behind a quote, or to a byte that is none of the usual ones: as `inTag` would.
    private mutating func scanTag(_ bytes: UnsafeRawBufferPointer, _ index: inout Int, _ before: Int) {
        var matched = before
        loop: while index < bytes.count {
            let byte = bytes[index]
            if matched > Self.declarationCount, Self.isOrdinary(byte) {
                // Of no interest before the name ends.
                index += 1
                continue
            }
            switch byte {
            case UInt8(ascii: ">"):
                markup = .text
                tagEnded(at: scanned + index)
                index += 1
                return
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                valueStart = scanned + index
                markup = .quoted(by: byte, isDeclaration: matched == Self.declarationCount)
                index += 1
                return
            case UInt8(ascii: "="):
                guard attributes < limits.attributes else { break loop }
                attributes += 1
                if matched != Self.declarationCount { matched = 6 }
            case 0x20:
                if matched != Self.declarationCount { matched = 0 }
            case UInt8(ascii: "/"):
                isEmptyTag = true
                if matched < Self.declarationCount { matched = 6 }
            case _ where Self.isOrdinary(byte):
                guard matched < Self.declarationCount else { break }
                matched = byte == Self.declaration(at: matched) ? matched + 1 : 6
            case _: break loop
            }
            index += 1
        }
        markup = .tag(matched: matched)
    }

    /// Letters, digits, `-`, `.`, `:`: neither a space, at which a name begins, nor `/`.
    static func isOrdinary(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        case _: false
        }
    }

    /// A byte of `xmlns`; no array, which would be looked up at each byte of each tag.
    static func declaration(at index: Int) -> UInt8 {
        switch index {
        case 0: UInt8(ascii: "x")
        case 1: UInt8(ascii: "m")
        case 2: UInt8(ascii: "l")
        case 3: UInt8(ascii: "n")
        case _: UInt8(ascii: "s")
        }
    }
}
