public import XMPPCore

/// What is another in one contact between two moments.
///
/// Of a push (``RosterEvent/changed(_:before:version:)``) and of what happened while nobody listened (``RosterComparison``).
public struct RosterDifference: Hashable, Sendable {
    /// What a changed subscription means. An item does not say who changed it: the contact, or another client of the account.
    public enum Subscription: Hashable, Sendable, CaseIterable {
        /// The account asked, and waits.
        case asked
        /// The account sees the contact now.
        case approved
        /// What the account asked for is refused, or was taken back.
        case denied
        /// The account does not see the contact any more.
        case cancelled
        /// The contact sees the account now: its request was accepted, elsewhere or ahead.
        case admitted
        /// The contact does not see the account any more.
        case unsubscribed
    }

    /// The contact.
    public let jid: BareJID
    /// What the item was; nil where there was none.
    public let before: RosterItem?
    /// What it is; nil where there is none.
    public let after: RosterItem?

    /// The difference of two items.
    ///
    /// - Returns: Nil where there is none, or they are of two contacts.
    public init?(before: RosterItem?, after: RosterItem?) {
        guard let jid = after?.jid ?? before?.jid, before != after, before == nil || after == nil || before?.jid == jid
        else { return nil }
        (self.jid, self.before, self.after) = (jid, before, after)
    }

    /// Whether the contact is new.
    public var isAdded: Bool { before == nil }
    /// Whether the contact is no longer there; what each saw of the other has ended with it.
    public var isRemoved: Bool { after == nil }

    /// Whether a contact that stays has another name.
    public var isRenamed: Bool {
        guard let before, let after else { return false }
        return !sameBytes(before.name, after.name)
    }

    /// Whether a contact that stays is in other groups; their order means nothing.
    public var isRegrouped: Bool {
        guard let before, let after else { return false }
        return Set(before.groups.map(ByteText.init)) != Set(after.groups.map(ByteText.init))
    }

    /// What has become of the subscription, in this order; empty where nothing, and of a contact that is gone.
    public var subscriptions: [Subscription] {
        guard let after else { return [] }
        let (wasSeen, wasAsked) = (before?.isSeen ?? false, before?.asked ?? false)
        let saw = before?.seesAccount ?? false
        var found: [Subscription] = []
        switch (wasSeen, after.isSeen) {
        case (false, true): found.append(.approved)
        case (true, false): found.append(.cancelled)
        case (false, false), (true, true): break
        }
        switch (wasAsked, after.asked && !after.isSeen) {
        case (false, true): found.append(.asked)
        case (true, false): if !after.isSeen { found.append(.denied) }
        case (false, false), (true, true): break
        }
        switch (saw, after.seesAccount) {
        case (false, true): found.append(.admitted)
        case (true, false): found.append(.unsubscribed)
        case (false, false), (true, true): break
        }
        return found
    }
}
