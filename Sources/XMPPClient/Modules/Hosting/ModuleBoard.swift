import XMPPTransport

/// The modules of an account as they are at any moment, for whoever asks, from any thread and without waiting.
package final class ModuleBoard: Sendable {
    private let modules = Locked<[HostedModule]>([])

    package init() {}

    func set(_ list: [HostedModule]) { modules.withLock { $0 = list } }

    /// Whether none of them has anything to do, or can do it.
    package var isQuiet: Bool { modules.withLock { $0 }.allSatisfy(\.isQuiet) }

    /// In the order of the configuration.
    package var statuses: [ModuleStatus] { modules.withLock { $0 }.map(\.status) }
}
