import Glibc

extension SocketAddress {
    /// Whether it is of this machine, of a private network, or of nobody in particular (RFC 6890).
    package var isPrivate: Bool {
        switch family {
        case AF_INET: Self.isPrivate(Array(bytes.dropFirst(4).prefix(4)))
        case AF_INET6: Self.isPrivateV6(Array(bytes.dropFirst(8).prefix(16)))
        case _: true
        }
    }

    private static func isPrivate(_ v4: [UInt8]) -> Bool {
        guard v4.count == 4 else { return true }
        switch (v4[0], v4[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168), (198, 18...19), (100, 64...127), (172, 16...31):
            return true
        case (192, 0): return v4[2] == 0
        // Multicast and reserved.
        case (224..., _): return true
        case _: return false
        }
    }

    private static func isPrivateV6(_ v6: [UInt8]) -> Bool {
        guard v6.count == 16 else { return true }
        if let embedded = embeddedV4(v6) { return isPrivate(embedded) }
        // Of `::/80` only what holds an IPv4 address is anybody's; `64:ff9b:1::/48` is NAT64 of one network (RFC 8215),
        // `100::/64` discards (RFC 6666), and who is at the end of Teredo (RFC 4380) its address hides.
        if v6.prefix(10).allSatisfy({ $0 == 0 }) || v6.prefix(6).elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 1])
            || v6.prefix(8).elementsEqual([1, 0, 0, 0, 0, 0, 0, 0]) || v6.prefix(4).elementsEqual([0x20, 1, 0, 0])
        {
            return true
        }
        // ISATAP, in any network (RFC 5214).
        if v6[8] & 0xFD == 0, v6[9..<12].elementsEqual([0, 0x5E, 0xFE]), isPrivate(Array(v6.suffix(4))) { return true }
        // Unique local, link-local, site-local, multicast.
        return v6[0] & 0xFE == 0xFC || (v6[0] == 0xFE && v6[1] & 0x80 == 0x80) || v6[0] == 0xFF
    }

    /// The IPv4 address that one of IPv6 stands for, by the prefixes that are the same everywhere.
    private static func embeddedV4(_ v6: [UInt8]) -> [UInt8]? {
        let last = Array(v6.suffix(4))
        let zero8 = [UInt8](repeating: 0, count: 8)
        let prefixes: [[UInt8]] = [
            // Compatible (and with it `::` and `::1`), mapped, translated (RFC 4291, RFC 2765), NAT64 (RFC 6052).
            zero8 + [0, 0, 0, 0], zero8 + [0, 0, 0xFF, 0xFF], zero8 + [0xFF, 0xFF, 0, 0],
            [0, 0x64, 0xFF, 0x9B] + zero8,
        ]
        if prefixes.contains(where: v6.starts) { return last }
        // 6to4 (RFC 3056).
        return v6.starts(with: [0x20, 2]) ? Array(v6[2..<6]) : nil
    }
}
