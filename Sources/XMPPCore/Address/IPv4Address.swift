/// An IPv4 address in its one spelling.
struct IPv4Address {
    /// Its first and its second half, as an IPv6 address has them.
    let groups: (UInt16, UInt16)

    /// Reads four numbers of RFC 3986 section 3.2.2: 0 to 255, without zeros in front.
    ///
    /// Others read `010.0.0.1` as 8.0.0.1 and `1.2` as 1.0.0.2: what has several readings is none.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var value: UInt32 = 0
        var numbers = 1
        var number: UInt32 = 0
        var digits = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard digits == 0 || number > 0 else { return nil }
                number = number * 10 + UInt32(byte - UInt8(ascii: "0"))
                digits += 1
                guard number <= 255 else { return nil }
            case UInt8(ascii: "."):
                guard digits > 0, numbers < 4 else { return nil }
                value = value << 8 | number
                (number, digits) = (0, 0)
                numbers += 1
            case _: return nil
            }
        }
        guard numbers == 4, digits > 0 else { return nil }
        value = value << 8 | number
        groups = (UInt16(truncatingIfNeeded: value >> 16), UInt16(truncatingIfNeeded: value))
    }
}
