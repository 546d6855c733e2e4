/// An address without a resource: an account, a contact, or a server (RFC 7622).
///
/// Both parts are prepared when the value is made, and equality is equality of the prepared bytes, never Swift's
/// canonical equivalence of strings.
public struct BareJID: Sendable {
    /// The part before the `@`, prepared; nil for a server's own address.
    public let local: String?
    /// The domain, prepared: lower case, no trailing dot, U-labels.
    public let domain: String

    package init(preparedLocal local: String?, preparedDomain domain: String) {
        self.local = local
        self.domain = domain
    }

    /// Reads an address and drops its resource.
    ///
    /// - Parameter text: What a person or a peer wrote, such as `ann@example.org`.
    /// - Throws: `JIDError` where a part is empty, too long, or holds what RFC 7622 forbids.
    public init(_ text: String) throws(JIDError) {
        self = try JID(text).bare
    }

    /// Joins a local part and a domain.
    ///
    /// - Parameters:
    ///   - local: The part before the `@` as somebody wrote it, prepared here; nil for the server's own address.
    ///   - domain: The domain.
    /// - Throws: `JIDError` where the local part is empty, too long, or holds what RFC 7622 forbids.
    public init(local: String?, domain: DomainName) throws(JIDError) {
        var preparation = JIDPreparation()
        self.local = if let local { try preparation.local(Array(local.utf8)) } else { nil }
        self.domain = domain.unicode
    }

    /// The domain as an address of its own.
    public var domainName: DomainName { DomainName(prepared: domain) }

    /// The address of the server that serves this one.
    public var server: BareJID { BareJID(preparedLocal: nil, preparedDomain: domain) }

    /// The domain as DNS and certificates have it: A-labels (RFC 5890 section 2.3.2.1).
    public var asciiDomain: String { domainName.ascii }
}

extension BareJID: Hashable {
    /// Compares the prepared bytes.
    public static func == (left: BareJID, right: BareJID) -> Bool {
        sameBytes(left.domain, right.domain) && sameBytes(left.local, right.local)
    }

    /// Feeds the prepared bytes.
    public func hash(into hasher: inout Hasher) {
        hashBytes(of: local, into: &hasher)
        hashBytes(of: domain, into: &hasher)
    }
}

extension BareJID: CustomStringConvertible {
    /// The address as it stands on the wire.
    public var description: String {
        guard let local else { return domain }
        return local + "@" + domain
    }
}

func hashBytes(of text: String?, into hasher: inout Hasher) {
    guard var text else {
        hasher.combine(0 as UInt8)
        return
    }
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // A terminator that no UTF-8 text holds, so that parts do not run into each other.
    hasher.combine(0xFF as UInt8)
}
