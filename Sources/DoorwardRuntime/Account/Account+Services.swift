import XMPPClient
import XMPPCore
import XMPPModules

/// What an account tells others of itself.
extension Account {
    /// Stands for this program in the capabilities of its accounts (XEP-0115 section 4); nobody resolves it.
    ///
    /// Neither it nor the name has anything of the account, so that the whole fleet has one hash in the caches of others.
    private static let capabilityNode = "urn:doorward"

    /// Service discovery and capabilities.
    func services() -> [any SessionModule] {
        let identity = DiscoInfo.Identity("client", "bot", name: "Doorward")
        let disco = DiscoModule(identities: [identity]) { [unowned self] sender in mayKnow(sender) }
        return [disco, CapsModule(node: Self.capabilityNode, disco: disco)]
    }
}
