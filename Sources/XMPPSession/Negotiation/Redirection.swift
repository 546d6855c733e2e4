import XMPPCore

/// Where a server sends its clients (RFC 6120 section 4.9.3.19): another host for the same domain.
///
/// Only the place changes: the certificate must still be that of the account's domain.
package struct Redirection: Sendable, Hashable {
    /// A host name in A-labels, an IPv4 address, or an IPv6 address without its brackets.
    package let host: String
    /// Nil for the usual port.
    package let port: UInt16?

    package init(host: String, port: UInt16? = nil) {
        self.host = host
        self.port = port
    }

    /// Reads what stands inside `<see-other-host/>`: a host, or an IPv6 address in brackets, and maybe `:` and a port.
    ///
    /// Nil where it is anything else.
    package init?(_ text: String) {
        let colon = UInt8(ascii: ":")
        let bytes = Array(text.utf8)
        // The first colon outside the brackets; a second one is no port.
        let begin = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) : bytes.startIndex
        guard let begin else { return nil }
        let end = bytes[begin...].firstIndex(of: colon)
        let name = bytes[..<(end ?? bytes.endIndex)]
        guard let name = String(validating: name, as: UTF8.self), let address = try? BareJID(name),
            address.local == nil, !name.utf8.contains(UInt8(ascii: "/"))
        else { return nil }
        let ascii = address.asciiDomain
        host = ascii.utf8.first == UInt8(ascii: "[") ? String(ascii.dropFirst().dropLast()) : ascii
        guard let end else {
            port = nil
            return
        }
        let digits = bytes[(end + 1)...]
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        port = number
    }
}
