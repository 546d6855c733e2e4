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
        let last = Array(v6.suffix(4))
        // `::`, `::1` and the other forms that hold an IPv4 address: mapped, compatible, and NAT64 (RFC 6052).
        if v6.prefix(10).allSatisfy({ $0 == 0 }) {
            let isMapped = v6[10] == 0xFF && v6[11] == 0xFF
            return (isMapped || v6[10] == 0 && v6[11] == 0) ? isPrivate(last) : true
        }
        if v6.prefix(12).elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return isPrivate(last) }
        // Unique local, link-local, site-local, multicast.
        return v6[0] & 0xFE == 0xFC || (v6[0] == 0xFE && v6[1] & 0x80 == 0x80) || v6[0] == 0xFF
    }
}
