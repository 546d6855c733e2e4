import Glibc

/// The two kinds of IP addresses.
package enum IPFamily: Sendable, Hashable, CaseIterable {
    case v6
    case v4

    var other: IPFamily {
        switch self {
        case .v6: .v4
        case .v4: .v6
        }
    }
}

/// An address of a host.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16, as on the wire.
    let bytes: [UInt8]

    package var family: IPFamily { bytes.count == 4 ? .v4 : .v6 }

    /// - Parameter bytes: as on the wire; `nil` for any other count than 4 or 16.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    /// An address in digits; `nil` for anything else.
    package init?(_ text: String) {
        var found = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &found) == 1 {
            bytes = Array(found.prefix(4))
        } else if inet_pton(AF_INET6, text, &found) == 1 {
            bytes = found
        } else {
            return nil
        }
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family == .v4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
            return "an address"
        }
        return cText(text)
    }
}
