public import XMPPCore

/// Watches connections: instead of a logger, typed events that hold no secret and no message.
public protocol ConnectionObserver: Sendable {
    /// Something happened on the connection of an account; called on its event loop, in order, so it must not block.
    func observed(_ event: ConnectionObservation, of account: BareJID)
}

/// Something that happened on a connection.
public struct ConnectionObservation: Sendable {
    /// What kind it is, as an open set: compare with the named values.
    public struct Kind: Hashable, Sendable {
        /// Stable, for logs and scripts, in snake_case.
        public let name: String
    }

    /// What happened.
    public let kind: Kind
    /// In words, for a person; safe to show.
    public let description: String
}
