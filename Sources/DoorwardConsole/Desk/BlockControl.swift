package import DoorwardRuntime
package import XMPPCore
package import XMPPModules

/// What commands may ask about block lists.
package protocol BlockControl: Sendable {
    /// Nil where there is no such account, or it has no list at the moment.
    func blockList(of account: BareJID) async -> BlockList?
    /// Nil where there is no such account.
    func block(_ account: BareJID, _ items: [JID], report: SpamReport?, by name: String) async throws -> BlockReport?
    /// Nil where there is no such account.
    func unblock(_ account: BareJID, _ items: [JID], by name: String) async throws -> OrderOutcome?
}
