import DoorwardConsole
import DoorwardRuntime
import DoorwardStore
import XMPPCore
import XMPPModules

/// What a fake of which a test wants something else has.
extension BlockControl {
    func blockList(of account: BareJID) async -> BlockList? { nil }

    func block(_ account: BareJID, _ items: [JID], report: SpamReport?, by name: String) async throws -> BlockReport? {
        nil
    }

    func unblock(_ account: BareJID, _ items: [JID], by name: String) async -> OrderOutcome? { nil }
}

/// Block lists of a service in which nothing is connected.
extension FakeService {
    func set(blocked: BlockList) { lists[Samples.jid("support@doorward.test")] = blocked }

    func blockList(of account: BareJID) async -> BlockList? { lists[account] }

    func block(_ account: BareJID, _ items: [JID], report: SpamReport?, by name: String) async throws -> BlockReport? {
        guard lists[account] != nil else { return nil }
        for item in items { lists[account]?.insert(item) }
        let covered = requests.filter { $0.state == .open && lists[account]?.isBlocked($0.contact) == true }
        orders.append("block \(items.map(\.description)) \(report?.reason.rawValue ?? "-") \(name)")
        return BlockReport(outcome: orderOutcome, covered: covered)
    }

    func unblock(_ account: BareJID, _ items: [JID], by name: String) async -> OrderOutcome? {
        guard lists[account] != nil else { return nil }
        for item in items { lists[account]?.remove(item) }
        orders.append("unblock \(items.map(\.description)) \(name)")
        return orderOutcome
    }
}

extension ServiceControlForwarding {
    func blockList(of account: BareJID) async -> BlockList? { await inner.blockList(of: account) }

    func block(_ account: BareJID, _ items: [JID], report: SpamReport?, by name: String) async throws -> BlockReport? {
        try await inner.block(account, items, report: report, by: name)
    }

    func unblock(_ account: BareJID, _ items: [JID], by name: String) async -> OrderOutcome? {
        await inner.unblock(account, items, by: name)
    }
}
