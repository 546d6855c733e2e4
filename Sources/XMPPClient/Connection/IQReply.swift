package import XMPPCore

/// What came of a request of ours.
package enum IQReply: Sendable {
    /// The payload of the result, if any.
    case result(Element?)
    /// The peer refused.
    case error(StanzaError)
    /// No reply within the time, or the connection ended first.
    case noReply
}
