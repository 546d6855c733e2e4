package import DoorwardStore
package import XMPPCore

/// What happened in the service, for logs and for whoever watches.
///
/// Never a secret, never the text of a message.
package enum RuntimeEvent: Sendable {
    case accountChanged(AccountStatus)
    /// A request was decided, by a rule or by default, or is on the desk now.
    case decided(RequestRow, by: String)
    /// An operator answered.
    case answered(RequestRow, operator: String)
    /// A request left without an answer of ours.
    case closed(RequestRow, reason: String)
    /// The server has the answer.
    case confirmed(RequestRow)
    /// Somebody whom no address names asks an account: there is nobody to answer.
    case nameless(BareJID, from: String)
    /// Something happened to a contact of an account.
    case contact(ContactEvent)
    case alertRaised(AlertRow)
    case alertCleared(code: String, account: BareJID?)
    /// An operator let an account forget how its logins went.
    case trustedAgain(BareJID, operator: String)
    case reloaded(ReloadOutcome.Change)
}

/// Gets the events, from any thread; must not block.
package typealias EventSink = @Sendable (RuntimeEvent) -> Void
