public import XMPPCore

/// Watches connections: instead of a logger, typed events that hold no secret and no message.
public protocol ConnectionObserver: Sendable {
    /// Something happened on the connection of an account; called on its event loop, in order, so it must not block.
    func observed(_ event: ConnectionObservation, of account: BareJID)
}

extension ClientConnection {
    /// Nothing is made where nobody watches.
    func observe(_ detail: @autoclosure () -> ConnectionObservation.Detail) {
        guard let observer = settings.observer else { return }
        observer.observed(ConnectionObservation(detail(), stage: stage, address: fullAddress), of: settings.account)
    }
}
