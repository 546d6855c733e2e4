/// A server's name: an address that has nothing but a domain (RFC 7622 section 3.2).
///
/// A host name, an IPv4 address, or an IPv6 address in brackets. It is prepared when the value is made: all spellings of a
/// name are equal.
public struct DomainName: Sendable {
    /// The name in lower case and U-labels, without a full stop at its end: as addresses have it.
    public let unicode: String

    /// Reads a name.
    ///
    /// - Parameter text: What a person or a peer wrote, such as `example.org` or `xn--bcher-kva.example`.
    /// - Throws: `JIDError` where it is empty, too long, or no name of a host.
    public init(_ text: String) throws(JIDError) {
        var preparation = JIDPreparation()
        unicode = try preparation.domain(Array(text.utf8))
    }

    package init(prepared: String) {
        unicode = prepared
    }

    /// The name as DNS and certificates have it: A-labels (RFC 5890 section 2.3.2.1).
    public var ascii: String { IDNA.ascii(unicode) ?? unicode }
}

extension DomainName: Hashable {
    /// Compares the prepared bytes.
    public static func == (left: DomainName, right: DomainName) -> Bool {
        sameBytes(left.unicode, right.unicode)
    }

    /// Feeds the prepared bytes.
    public func hash(into hasher: inout Hasher) {
        hashBytes(of: unicode, into: &hasher)
    }
}

extension DomainName: CustomStringConvertible {
    /// The name as it stands on the wire.
    public var description: String { unicode }
}
