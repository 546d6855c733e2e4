package import DoorwardStore
package import XMPPClient
package import XMPPCore

/// What happened in the service, for logs and for whoever watches.
///
/// Never a secret, never the text of a message.
package enum RuntimeEvent: Sendable {
    case accountChanged(AccountStatus)
    /// A request was decided, by a rule, by default, or by an operator who had approved it ahead; or is on the desk now.
    case decided(RequestRow, by: String, operator: String? = nil)
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
    /// A module of an account has another state.
    case moduleChanged(BareJID, module: String, ModuleState)
    /// A module said something, or a call of it threw; so many lines before were too many.
    case moduleSaid(BareJID, module: String, text: String, isWarning: Bool, dropped: Int)
    /// A module had an event in its hands when the process before ended.
    case moduleCrashed(BareJID, module: String)
    /// The server has a part of an account's profile that it did not have, or refused it.
    case profilePublished(BareJID, part: String, error: String?)
    /// An operator gave an account a picture.
    case avatarSet(BareJID, hash: String, operator: String)
    /// Something of an account that the log keeps, and nobody waits for.
    case noted(AccountNote)
    case reloaded(ReloadOutcome.Change)
}

/// Gets the events, from any thread; must not block.
package typealias EventSink = @Sendable (RuntimeEvent) -> Void
