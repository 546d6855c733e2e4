package import DoorwardStore
package import XMPPCore
package import XMPPModules

/// What came of a block.
package struct BlockReport: Sendable {
    package var outcome: OrderOutcome
    /// The requests that it covers, which left the desk.
    package var covered: [RequestRow]

    package init(outcome: OrderOutcome, covered: [RequestRow]) {
        self.outcome = outcome
        self.covered = covered
    }
}

/// The block lists of accounts.
extension Service {
    /// An account's block list; nil where it has none at the moment.
    package func blockList(of account: BareJID) async -> BlockList? {
        await supervisor.account(account)?.blockList()
    }

    /// Blocks, and lets the requests that this covers leave the desk.
    ///
    /// - Parameters:
    ///   - account: Whose list it is.
    ///   - items: Contacts, resources or domains; at least one.
    ///   - report: What is said of each of them to the server's operators.
    ///   - name: The operator's name.
    /// - Throws: `StoreError`.
    /// - Returns: Nil where there is no such account.
    package func block(
        _ account: BareJID, _ items: [JID], report: SpamReport?, by name: String
    ) async throws -> BlockReport? {
        guard let child = await supervisor.account(account) else { return nil }
        if let refusal = await child.whyNotBlocking() { return BlockReport(outcome: refusal, covered: []) }
        let list = BlockList(items)
        let reason = "blocked: " + items.map(\.description).joined(separator: ", ")
        let rows = try await store.cover(account, by: name, reason: reason, at: now) { list.isBlocked($0) }
        for row in rows { parts.events(.closed(row, reason: reason)) }
        let outcome = await child.block(items, report: report, covering: rows)
        note(account, "blocked", items, by: name, outcome, report: report?.reason.rawValue)
        return BlockReport(outcome: outcome, covered: rows)
    }

    /// Lifts blocks.
    ///
    /// - Returns: What the server said; nil where there is no such account.
    package func unblock(_ account: BareJID, _ items: [JID], by name: String) async -> OrderOutcome? {
        guard let child = await supervisor.account(account) else { return nil }
        let outcome = await child.unblock(items)
        note(account, "unblocked", items, by: name, outcome)
        return outcome
    }

    private func note(
        _ account: BareJID, _ event: String, _ items: [JID], by name: String, _ outcome: OrderOutcome,
        report: String? = nil
    ) {
        let fields: [(String, String?)] = [
            ("items", items.map(\.description).joined(separator: ",")), ("report", report), ("operator", name),
            ("outcome", outcome.word),
        ]
        parts.events(.noted(AccountNote(account, event, fields)))
    }
}
