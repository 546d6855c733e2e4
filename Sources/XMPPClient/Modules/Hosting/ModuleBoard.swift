import XMPPTransport

/// The modules of an account as they are at any moment, for whoever asks, from any thread and without waiting.
package final class ModuleBoard: Sendable {
    private let modules = Locked<[HostedModule]>([])

    package init() {}

    func set(_ list: [HostedModule]) { modules.withLock { $0 = list } }

    /// How many jobs each of them has begun, where none has anything to do, or can do it; nil otherwise.
    ///
    /// The same again, when the loops have done what was theirs in between, means that nothing goes on.
    package var rest: [Int]? {
        let each = modules.withLock { $0 }.map(\.rest)
        let begun = each.compactMap { $0 }
        return begun.count == each.count ? begun : nil
    }

    /// In the order of the configuration.
    package var statuses: [ModuleStatus] { modules.withLock { $0 }.map(\.status) }
}
