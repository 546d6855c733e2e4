/// An IPv6 address, so that each of its spellings is the same domain.
struct IPv6Address: CustomStringConvertible {
    private let groups: [UInt16]

    /// Reads the text of RFC 4291 section 2.2, without a zone.
    init?(_ text: ArraySlice<UInt8>) {
        var front: [UInt16] = []
        var back: [UInt16]?
        var parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 9, omittingEmptySubsequences: false)[...]
        guard parts.count >= 3, parts.count <= 9 else { return nil }
        // "::" at an end makes two empty parts there, elsewhere one.
        if parts.first?.isEmpty == true {
            guard parts.dropFirst().first?.isEmpty == true else { return nil }
            parts.removeFirst()
        }
        if parts.last?.isEmpty == true {
            guard parts.dropLast().last?.isEmpty == true else { return nil }
            if parts.count > 1 { parts.removeLast() }
        }
        while let part = parts.popFirst() {
            var read: [UInt16]
            if part.isEmpty {
                guard back == nil else { return nil }
                back = []
                continue
            } else if part.contains(UInt8(ascii: ".")) {
                guard parts.isEmpty, let address = Self.ipv4(part) else { return nil }
                read = address
            } else {
                guard part.count <= 4, let value = UInt16(String(decoding: part, as: UTF8.self), radix: 16),
                    part.first != UInt8(ascii: "+")
                else { return nil }
                read = [value]
            }
            if back == nil { front += read } else { back?.append(contentsOf: read) }
        }
        let known = front.count + (back?.count ?? 0)
        guard back == nil ? known == 8 : known <= 7 else { return nil }
        groups = front + [UInt16](repeating: 0, count: 8 - known) + (back ?? [])
    }

    private static func ipv4(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt16] = []
        for part in parts {
            guard part.allSatisfy({ (0x30...0x39).contains($0) }), part.count == 1 || part.first != UInt8(ascii: "0"),
                let byte = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            bytes.append(UInt16(byte))
        }
        return [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
    }

    /// The one spelling of RFC 5952 section 4 (without its dotted forms).
    var description: String {
        var longest = 0..<0
        var start = 0
        while start < groups.count {
            let zeros = groups[start...].prefix { $0 == 0 }.count
            if zeros > longest.count { longest = start..<(start + zeros) }
            start += max(1, zeros)
        }
        let digits = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
        guard longest.count > 1 else { return digits(groups[...]) }
        return digits(groups[..<longest.lowerBound]) + "::" + digits(groups[longest.upperBound...])
    }
}
