package import XMPPCore

/// What the driver of a `StreamNegotiation` is to do, in order.
package enum NegotiationAction: Sendable, Equatable {
    case send([UInt8])
    /// Drop the parser with all it holds, start TLS, then call `secured()`.
    case startTLS
    /// The next header begins a new stream.
    case resetParser
    /// Derive the keys off the loop, then call `derived(_:)`.
    case derive(SCRAMDerivation)
    /// Logged in: the parser's limits go from those before the login to the normal ones.
    case raiseLimits
    case established(EstablishedSession)
    /// Close the connection; nothing comes after this.
    case fail(SessionError)
}

/// A bound session.
package struct EstablishedSession: Sendable, Equatable {
    /// Our address as the server bound it.
    package let jid: JID
    /// The last `<stream:features/>`.
    package let features: Element

    package init(jid: JID, features: Element) {
        self.jid = jid
        self.features = features
    }

    /// Whether the server keeps an approval for a request that has not come yet (RFC 6121 section 3.4).
    package var keepsPreApprovals: Bool { features.first("sub", Namespace.preApproval) != nil }
}
