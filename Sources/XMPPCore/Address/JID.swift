/// A whole XMPP address: a bare address and, for one connected resource, its resource (RFC 7622).
public struct JID: Sendable {
    /// The address without its resource.
    public let bare: BareJID
    /// The part after the first `/`, prepared; nil for a bare address.
    public let resource: String?

    /// Joins a bare address with a prepared resource.
    package init(bare: BareJID, preparedResource resource: String?) {
        self.bare = bare
        self.resource = resource
    }

    /// The bare address as a `JID`.
    public init(_ bare: BareJID) {
        self.bare = bare
        resource = nil
    }

    /// Joins a bare address with a resource.
    ///
    /// - Parameters:
    ///   - bare: The address without a resource.
    ///   - resource: The resource as somebody wrote it; it is prepared here.
    /// - Throws: `JIDError` where the resource is empty, too long, or holds what RFC 7622 forbids.
    public init(_ bare: BareJID, resource: String) throws(JIDError) {
        self.bare = bare
        var preparation = JIDPreparation()
        self.resource = try preparation.resource(Array(resource.utf8))
    }

    /// Reads an address.
    ///
    /// The resource is cut at the first `/` and the local part at the first `@` before anything is mapped
    /// (RFC 7622 section 3.1), so that no character that maps to one of them can move the cut.
    ///
    /// - Parameter text: What a person or a peer wrote, such as `ann@example.org/phone`.
    /// - Throws: `JIDError` where a part is empty, too long, or holds what RFC 7622 forbids.
    public init(_ text: String) throws(JIDError) {
        if let plain = PlainAddress(text) {
            bare = BareJID(preparedLocal: plain.local, preparedDomain: plain.domain)
            resource = plain.resource
            return
        }
        var preparation = JIDPreparation()
        self = try preparation.address(text)
    }
}

extension JID: Hashable {
    /// Compares the prepared bytes.
    public static func == (left: JID, right: JID) -> Bool {
        left.bare == right.bare && sameBytes(left.resource, right.resource)
    }

    /// Feeds the prepared bytes.
    public func hash(into hasher: inout Hasher) {
        bare.hash(into: &hasher)
        hashBytes(of: resource, into: &hasher)
    }
}

extension JID: CustomStringConvertible {
    /// The address as it stands on the wire.
    public var description: String {
        guard let resource else { return bare.description }
        return bare.description + "/" + resource
    }
}
