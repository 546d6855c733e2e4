public import XMPPCore

/// What a server announced for the whole of a session, of that which modules ask about (RFC 6120 section 4.3.2).
///
/// Read once, since the features themselves are large, and every session would keep them.
public struct StreamFeatures: Hashable, Sendable {
    /// Versions of the roster (RFC 6121 section 2.6).
    public var rosterVersions: Bool
    /// Approvals of requests that have not come (RFC 6121 section 3.4).
    public var preApprovals: Bool

    /// Reads them.
    ///
    /// - Parameter features: The server's `<stream:features/>`.
    public init(_ features: Element) {
        rosterVersions = features.first("ver", Namespace.rosterVersions) != nil
        preApprovals = features.first("sub", Namespace.preApproval) != nil
    }
}
