extension UnsafeRawBufferPointer {
    /// The end of what libxml2 gets first: white space behind a tag would keep its context waiting for the next stanza.
    var endBehindTag: Int {
        guard let last = lastIndex(where: { !isXMLSpace($0) }), self[last] == UInt8(ascii: ">") else { return count }
        return last + 1
    }

    /// Where the bytes end that begin at `start` and stand for themselves in an element's text or an attribute's value.
    ///
    /// - Parameters:
    ///   - start: The first byte to look at.
    ///   - stop: Another byte that ends them.
    ///   - spaceOnly: Whether tabs and line feeds end them too.
    /// - Returns: The place of the first byte that is no ASCII, a control character (a carriage return too, which an XML
    ///   reader makes a line feed), `<`, `&` or `stop`.
    func endOfPlain(from start: Int, before stop: UInt8, spaceOnly: Bool = false) -> Int {
        var index = start
        while index + 8 <= count {
            let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let suspects = word.suspects(stop)
            guard suspects != 0 else {
                index += 8
                continue
            }
            // The lowest one is one; those above it may be of its making.
            index += suspects.trailingZeroBitCount >> 3
            guard self[index] != stop, isPlain(self[index], spaceOnly) else { return index }
            index += 1
        }
        while index < count, self[index] != stop, isPlain(self[index], spaceOnly) { index += 1 }
        return index
    }
}

extension ArraySlice<UInt8> {
    /// Where the first tag ends in front of whose `>` that name stands: perhaps an element of that name, perhaps not.
    ///
    /// The name may have begun before these bytes. An empty one stands everywhere.
    func endOfTag(_ name: String) -> Int {
        withUnsafeBytes { bytes in
            for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: ">") {
                let before = bytes[..<index].suffix(name.utf8.count)
                if before.elementsEqual(name.utf8.suffix(index)) { return startIndex + index + 1 }
            }
            return endIndex
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are written as they are wherever they stand: of nearly every text.
    ///
    /// They are ASCII without control characters, `&`, `<`, `>`, `'` and `"`.
    var needsNoEscapes: Bool {
        guard count >= 8 else { return allSatisfy(standsForItself) }
        var index = 0
        while index + 8 <= count {
            if word(at: index).hasEscapes { return false }
            index += 8
        }
        // The last word may begin in the one before.
        return !word(at: count - 8).hasEscapes
    }

    private func word(at index: Int) -> UInt64 { loadUnaligned(fromByteOffset: index, as: UInt64.self) }
}

private func standsForItself(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "'"), UInt8(ascii: "\""): false
    case 0x20...0x7F: true
    case _: false
    }
}

private func isPlain(_ byte: UInt8, _ spaceOnly: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: "&"): false
    case 0x20...0x7F: true
    case 0x09, 0x0A: !spaceOnly
    case _: false
    }
}

extension UInt64 {
    /// The highest bit of each of its eight bytes that is over 0x7F, below a space, or one of `<`, `&` and `stop`; above the
    /// lowest of them, perhaps of others too.
    fileprivate func suspects(_ stop: UInt8) -> UInt64 {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
        let marked =
            zeros(self ^ (ones &* UInt64(UInt8(ascii: "<")))) | zeros(self ^ (ones &* UInt64(UInt8(ascii: "&"))))
            | zeros(self ^ (ones &* UInt64(stop)))
        return (self | ((self &- ones &* 0x20) & ~self) | marked) & highs
    }

    /// Whether one of its eight bytes does not stand for itself.
    fileprivate var hasEscapes: Bool {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
        // `&` and `'` differ in their lowest bit, `<` and `>` in the one above it.
        let marked =
            zeros((self & ~ones) ^ (ones &* 0x26)) | zeros((self & ~(ones << 1)) ^ (ones &* 0x3C))
            | zeros(self ^ (ones &* 0x22))
        return (self | ((self &- ones &* 0x20) & ~self) | marked) & highs != 0
    }
}

extension UInt8 {
    /// Whether a name of ASCII may begin so (XML section 2.3); the colon is left out.
    var beginsPlainName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        case _: false
        }
    }

    /// Whether it may go on so.
    var continuesPlainName: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        case _: beginsPlainName
        }
    }
}
