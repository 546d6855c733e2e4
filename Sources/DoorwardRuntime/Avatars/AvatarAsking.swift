/// Who may be asked for a picture: who is asked learns the account's full address, and that it is online.
package enum AvatarAsking: String, Hashable, Sendable {
    /// Contacts with a subscription, in either direction: they know it, or may.
    case contacts
    /// Strangers too, as an operator wishes.
    case anybody
}
