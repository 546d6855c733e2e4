/// What has been decided for a request and is not yet known to have reached the server.
package struct OutboxRow: Hashable, Sendable {
    package var steps: [OutboxStep]
    /// Whether the contact was in the roster before our steps; nil until the first step was written.
    ///
    /// An accept that found no request is taken back by removing the item if we made it, else by setting it again.
    package var hadItem: Bool?

    package init(steps: [OutboxStep], hadItem: Bool? = nil) {
        self.steps = steps
        self.hadItem = hadItem
    }

    /// Whether any step is not closed.
    package var isOpen: Bool { steps.contains { $0.state.isOpen } }

    /// The step of that kind.
    package func step(_ kind: OutboxStep.Kind) -> OutboxStep? { steps.first { $0.kind == kind } }
}

/// One stanza's worth of an answer; each closes by itself.
package struct OutboxStep: Hashable, Sendable {
    /// The kinds in the order they are written.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The roster item is set: name and groups (RFC 6121 section 2.3).
        case rosterSet = "roster_set"
        /// `subscribed` or `unsubscribed` (RFC 6121 sections 3.1.5 and 3.2).
        case verdict
        /// Our own `subscribe` in return.
        case subscribeBack = "subscribe_back"
        /// The contact is blocked (XEP-0191).
        case block
        /// `unsubscribed` to the address that the contact had before (XEP-0283).
        case revokeOld = "revoke_old"
    }

    /// How far it is.
    package enum State: Hashable, Sendable {
        /// To be written.
        case due
        /// Written in that session; not known whether the server had it.
        case written(session: Int64)
        /// The server has it.
        case confirmed
        /// Not sent, and will not be: the reason stands in the journal.
        case dropped

        package var isOpen: Bool {
            switch self {
            case .due, .written: true
            case .confirmed, .dropped: false
            }
        }
    }

    package var kind: Kind
    package var state: State

    package init(_ kind: Kind, _ state: State = .due) {
        self.kind = kind
        self.state = state
    }
}
