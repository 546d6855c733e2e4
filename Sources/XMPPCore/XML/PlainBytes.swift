extension UnsafeRawBufferPointer {
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
}
