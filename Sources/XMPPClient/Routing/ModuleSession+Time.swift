public import XMPPCore
import XMPPTransport

/// The time of a session.
extension ModuleSession {
    /// The time of day, as the account's loop has it.
    public var now: Timestamp { Timestamp(milliseconds: connection.loop.time.wallMilliseconds) }

    /// Calls a module back later.
    ///
    /// - Parameters:
    ///   - delay: After how long.
    ///   - body: Called once, in the module's isolation; not at all where the connection has ended by then.
    public func after(_ delay: Duration, _ body: @escaping () -> Void) {
        // The loop calls it there only, which is the isolation of the module.
        nonisolated(unsafe) let body = body
        connection.loop.schedule(after: delay) { [weak connection] in
            if connection?.isOnline == true { body() }
        }
    }
}
