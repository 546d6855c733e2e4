package import DoorwardConfig
package import XMPPCore

/// What came of a reload.
package struct ReloadOutcome: Sendable {
    /// Nil where the files have errors: then nothing changed and an alert says why.
    package var change: Change?
    package var faults: [Fault]

    /// What a reload did.
    package struct Change: Hashable, Sendable {
        package var started: [BareJID]
        package var stopped: [BareJID]
        /// Changed without a new connection: policy, mode.
        package var updated: [BareJID]
        /// Connected anew, since credentials, address or resource changed.
        package var restarted: [BareJID]

        package init(started: [BareJID], stopped: [BareJID], updated: [BareJID], restarted: [BareJID]) {
            self.started = started
            self.stopped = stopped
            self.updated = updated
            self.restarted = restarted
        }
    }

    package init(change: Change?, faults: [Fault]) {
        self.change = change
        self.faults = faults
    }
}
