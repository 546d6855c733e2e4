/// What is done with a request.
package enum Decision: Hashable, Sendable {
    case accept(Acceptance)
    case reject(Rejection)
    /// Wait on the desk for an operator.
    case ask
    /// Send nothing; decide anew at the next delivery.
    case ignore

    /// The word of the policy language and of `--json`.
    package var word: String {
        switch self {
        case .accept: "accept"
        case .reject: "reject"
        case .ask: "ask"
        case .ignore: "ignore"
        }
    }
}

/// The options of an accept.
package struct Acceptance: Hashable, Sendable {
    /// That of an invitation: the contact is asked in return, without the name that it offers (XEP-0379 section 3.3).
    package static let ofInvitation = Acceptance(subscribeBack: true)

    /// Whether we ask the contact in return.
    package var subscribeBack: Bool
    /// The roster groups to put the contact in; empty leaves the groups alone.
    package var groups: [String]
    /// The roster name; nil leaves it alone.
    package var name: String?

    package init(subscribeBack: Bool = false, groups: [String] = [], name: String? = nil) {
        self.subscribeBack = subscribeBack
        self.groups = groups
        self.name = name
    }
}

/// The options of a reject.
package struct Rejection: Hashable, Sendable {
    /// For what a contact is reported to the account's server (XEP-0377).
    package enum Report: String, Hashable, Sendable, CaseIterable { case spam, abuse }

    /// Whether the contact is blocked too (XEP-0191).
    package var block: Bool
    /// What the block says to the server's operators; nil for nothing.
    package var report: Report?

    /// - Parameters:
    ///   - block: Whether to block.
    ///   - report: Blocks too: a report rides inside a block.
    package init(block: Bool = false, report: Report? = nil) {
        self.block = block || report != nil
        self.report = report
    }
}

/// Who or what decided: the field `by` of `history --json`.
package enum Authority: String, Hashable, Sendable {
    /// A rule of the policy held.
    case rule
    /// No rule held.
    case `default`
    /// The account's mode.
    case mode
    /// The request shows the token of an invitation.
    case token
    /// The request answers one of our own.
    case ownRequest = "own_request"
    case `operator`
    /// The one who asked took the request back.
    case requester
    /// The server says so: it no longer has the request, another client of the account answered it, or the roster shows
    /// that the contact sees the account already.
    case server
}
