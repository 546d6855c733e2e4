package import XMPPClient
package import XMPPCore
import XMPPTransport

/// The state of each account as last published by it, so that `status` waits for no account's loop.
package final class StatusBoard: Sendable {
    private let statuses = Locked<[BareJID: AccountStatus]>([:])
    private let modules = Locked<[BareJID: ModuleBoard]>([:])
    private let readCount = Locked(0)

    package init() {}

    /// Changes an account's entry.
    ///
    /// - Returns: The entry after it, or nil where the account is not on the board.
    @discardableResult
    package func update(_ account: BareJID, _ change: (inout AccountStatus) -> Void) -> AccountStatus? {
        statuses.withLock { statuses in
            guard var status = statuses[account] else { return nil }
            change(&status)
            statuses[account] = status
            return status
        }
    }

    package func add(_ status: AccountStatus) {
        statuses.withLock { $0[status.jid] = status }
    }

    package func remove(_ account: BareJID) {
        statuses.withLock { $0[account] = nil }
        modules.withLock { $0[account] = nil }
    }

    /// Where an account's modules are seen.
    func show(_ board: ModuleBoard, of account: BareJID) { modules.withLock { $0[account] = board } }

    /// The modules of an account as they are now.
    package func modules(of account: BareJID) -> [ModuleStatus] { modules.withLock { $0[account] }?.statuses ?? [] }

    /// An account has handled what it had read from its stream at once.
    func countRead() { readCount.withLock { $0 += 1 } }

    /// How often they did, all together.
    package var reads: Int { readCount.withLock { $0 } }

    /// All accounts, by address.
    package var all: [AccountStatus] {
        statuses.withLock { Array($0.values) }.sorted { $0.jid.description < $1.jid.description }
    }
}
