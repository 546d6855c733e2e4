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
        let session = await child.sessionNumber
        let actions = items.map { Self.action(.block, $0, of: account, by: name, report: report, session: session) }
        let (rows, begun) = try await store.cover(
            account, by: name, reason: reason, at: now, beginning: actions
        ) { list.isBlocked($0) }
        for row in rows { parts.events(.closed(row, reason: reason)) }
        let outcome = await child.block(items, report: report, covering: rows, actions: begun)
        note(account, "blocked", items, by: name, outcome, report: report?.reason.rawValue)
        return BlockReport(outcome: outcome, covered: rows)
    }

    /// Lifts blocks.
    ///
    /// - Throws: `StoreError`.
    /// - Returns: What the server said; nil where there is no such account.
    package func unblock(_ account: BareJID, _ items: [JID], by name: String) async throws -> OrderOutcome? {
        guard let child = await supervisor.account(account) else { return nil }
        if let refusal = await child.whyNotBlocking() { return refusal }
        let session = await child.sessionNumber
        let actions = items.map { Self.action(.unblock, $0, of: account, by: name, report: nil, session: session) }
        let begun = try await store.begin(actions, at: now)
        let outcome = await child.unblock(items, actions: begun)
        note(account, "unblocked", items, by: name, outcome)
        return outcome
    }

    /// One entry of the list, as the journal has it.
    private static func action(
        _ kind: ContactAction.Kind, _ entry: JID, of account: BareJID, by name: String, report: SpamReport?,
        session: Int64
    ) -> ContactAction {
        let words = [
            entry.resource == nil ? nil : "only \(entry)", report.map { "reported as \($0.reason.rawValue)" },
        ].compactMap(\.self)
        return ContactAction(
            kind, account: account, contact: entry.bare, by: name,
            detail: words.isEmpty ? nil : words.joined(separator: "; "), session: session,
            work: ContactWork(message: report?.text, entry: entry, report: report?.reason.rawValue))
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
