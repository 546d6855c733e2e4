/// An IPv6 address, so that each of its spellings is the same domain.
struct IPv6Address {
    private static let count = 8
    private var groups = SIMD8<UInt16>()

    /// Reads the text of RFC 4291 section 2.2, without a zone.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        let colon = UInt8(ascii: ":")
        var rest = text[...]
        var known = 0
        // Behind how many groups "::" stands.
        var gap: Int?
        if rest.count >= 2, rest[0] == colon, rest[1] == colon {
            gap = 0
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            guard known < Self.count else { return nil }
            let digits = rest.prefix { Self.digit($0) != nil }
            if digits.endIndex < rest.endIndex, rest[digits.endIndex] == UInt8(ascii: ".") {
                guard known + 2 <= Self.count, let address = IPv4Address(UnsafeBufferPointer(rebasing: rest)) else {
                    return nil
                }
                (groups[known], groups[known + 1]) = address.groups
                known += 2
                break
            }
            guard (1...4).contains(digits.count) else { return nil }
            groups[known] = digits.reduce(0) { $0 << 4 | (Self.digit($1) ?? 0) }
            known += 1
            rest = rest[digits.endIndex...]
            guard let next = rest.popFirst() else { break }
            guard next == colon else { return nil }
            if rest.first == colon {
                guard gap == nil else { return nil }
                gap = known
                rest = rest.dropFirst()
            } else if rest.isEmpty {
                return nil
            }
        }
        guard gap == nil ? known == Self.count : known < Self.count else { return nil }
        if let gap { open(gap, known) }
    }

    /// Moves what stands behind "::" to the end.
    private mutating func open(_ gap: Int, _ known: Int) {
        var from = known
        var to = Self.count
        while from > gap {
            from -= 1
            to -= 1
            (groups[from], groups[to]) = (0, groups[from])
        }
    }

    private static func digit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        case _: nil
        }
    }

    /// The longest run of zeros that are more than one, of two as long the first (RFC 5952 section 4.2).
    private var zeros: Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in 0..<Self.count {
            guard groups[index] == 0 else {
                start = index + 1
                continue
            }
            if index + 1 - start > max(1, longest.count) { longest = start..<(index + 1) }
        }
        return longest
    }

    /// The one spelling of RFC 5952 section 4 (without its dotted forms), as an address has it.
    var inBrackets: String {
        // Eight groups of four digits, the colons between them, the brackets.
        String(unsafeUninitializedCapacity: Self.count * 5 + 1) { buffer in
            var count = 0
            func write(_ byte: UInt8) {
                buffer.initializeElement(at: count, to: byte)
                count += 1
            }
            let zeros = self.zeros
            write(UInt8(ascii: "["))
            for index in 0..<Self.count {
                if zeros.contains(index) {
                    if index == zeros.lowerBound { write(UInt8(ascii: ":")) }
                    if index == Self.count - 1 { write(UInt8(ascii: ":")) }
                    continue
                }
                if index > 0 { write(UInt8(ascii: ":")) }
                let group = groups[index]
                for shift in [12, 8, 4, 0] as [UInt16] where shift == 0 || group >> shift > 0 {
                    let digit = UInt8(truncatingIfNeeded: group >> shift & 0xF)
                    write(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                }
            }
            write(UInt8(ascii: "]"))
            return count
        }
    }
}
