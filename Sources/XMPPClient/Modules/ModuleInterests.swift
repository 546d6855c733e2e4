/// What a module wants to hear of.
///
/// Whoever does not see the account's presence is told nothing by it, and so cannot find out whether it is online; a module
/// that is to hear such people says ``strangers``, and must mind that itself.
public struct ModuleInterests: OptionSet, Hashable, Sendable {
    /// One bit each.
    public let rawValue: Int

    /// A set of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Messages of contacts that see the account's presence, and of the account's own other clients.
    public static let messages = ModuleInterests(rawValue: 1)
    /// Presences of them; those that manage subscriptions are not among them.
    public static let presences = ModuleInterests(rawValue: 2)
    /// The roster: contacts that come, change or go.
    public static let contacts = ModuleInterests(rawValue: 4)
    /// Subscription requests that were decided.
    public static let decisions = ModuleInterests(rawValue: 8)
    /// The begin and the end of sessions.
    public static let sessions = ModuleInterests(rawValue: 16)
    /// Messages, presences and requests of everybody, as far as it hears of them at all.
    public static let strangers = ModuleInterests(rawValue: 32)
    /// Receipts (XEP-0184): whoever asks for one gets it where he may know of the account, and the module hears what became of
    /// messages that it asked for one.
    public static let receipts = ModuleInterests(rawValue: 64)
}
