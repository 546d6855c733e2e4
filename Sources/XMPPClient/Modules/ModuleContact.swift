public import XMPPCore

/// A contact of the account, as its roster has it at one moment.
public struct ModuleContact: Hashable, Sendable {
    /// Who sees whose presence (RFC 6121 section 2.1.2.5).
    public enum Subscription: String, Hashable, Sendable {
        /// Nobody the other's.
        case none
        /// The account sees the contact's.
        case to
        /// The contact sees the account's.
        case from
        /// Each the other's.
        case both
    }

    /// The address.
    public let jid: BareJID
    /// The name that the roster gives it, if any.
    public let name: String?
    /// Who sees whose presence.
    public let subscription: Subscription
    /// The groups that it is in.
    public let groups: [String]

    /// A contact.
    public init(jid: BareJID, name: String? = nil, subscription: Subscription, groups: [String] = []) {
        (self.jid, self.name, self.subscription, self.groups) = (jid, name, subscription, groups)
    }

    /// Whether it sees the account's presence, and so may know that it is online.
    public var seesAccount: Bool { subscription == .from || subscription == .both }

    /// How to call it: its name, else the first part of its address.
    public var callName: String { name ?? jid.local ?? jid.domain }
}

/// Where modules look contacts up; whoever keeps the roster is one.
public protocol ContactDirectory: AnyObject {
    /// The contact of that address, if it is one.
    func contact(_ jid: BareJID) -> ModuleContact?
    /// All of them, in no order.
    var allContacts: [ModuleContact] { get }
    /// Whether somebody may know that the account is online; nil is the account's own server.
    func mayKnow(_ sender: BareJID?) -> Bool
}
