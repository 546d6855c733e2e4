import XMPPCore

/// What changed between two rosters, such as the one that was kept and that of the login.
///
/// A server need not tell an account what others did while it was offline (RFC 6121 section 3.1.3): only the roster shows it.
///
/// ```swift
/// for change in RosterComparison(from: kept, to: roster.items).differences {
///     if change.subscriptions.contains(.cancelled) { print("\(change.jid) is not to be seen any more") }
/// }
/// ```
public struct RosterComparison: Hashable, Sendable {
    /// One for each contact that differs, in the order of their addresses' bytes.
    public let differences: [RosterDifference]

    /// Compares; the cost is linear in the two.
    public init(from before: Roster, to after: Roster) {
        let (changed, gone) = after.compared(with: before)
        let differences =
            changed.compactMap { RosterDifference(before: before[$0.jid], after: $0) }
            + gone.compactMap { RosterDifference(before: before[$0], after: nil) }
        self.differences = differences.map { (Array($0.jid.description.utf8), $0) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }

    /// Whether both are the same.
    public var isEmpty: Bool { differences.isEmpty }
    /// Those that are new.
    public var added: [RosterItem] { differences.filter(\.isAdded).compactMap(\.after) }
    /// Those that are gone, as they were.
    public var removed: [RosterItem] { differences.filter(\.isRemoved).compactMap(\.before) }
    /// Those that stay and have another name.
    public var renamed: [RosterDifference] { differences.filter(\.isRenamed) }
    /// Those that stay and are in other groups.
    public var regrouped: [RosterDifference] { differences.filter(\.isRegrouped) }
}
