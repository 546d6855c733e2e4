import XMPPClient
import XMPPTransport

extension ClientTransport {
    /// A way to a server of the kit.
    ///
    /// - Parameters:
    ///   - connector: Leads there.
    ///   - time: The client's clock; nil for the system's.
    ///   - seed: Its chance; nil for the true one.
    init(_ connector: any Connector, _ time: ManualTime?, _ seed: UInt64?) {
        guard let seed else {
            self.init(connector: connector, time: time)
            return
        }
        self.init(connector: connector, time: time, chance: SeededChance.maker(seed))
    }
}
