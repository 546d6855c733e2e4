import XMPPCore
import XMPPCrypto

/// What waits for a module, in its inbox.
enum ModuleJob: Sendable {
    case event(ModuleEvent)
    case call(ModuleCall)

    /// What tells a harmful one again when it comes back.
    var digest: String {
        switch self {
        case .event(let event): event.digest
        case .call(let call): call.digest
        }
    }
}

/// Something that a companion of the host wants of a module: it waits its turn among the events.
package struct ModuleCall: Sendable {
    /// What tells it again when it comes back: as that of an event.
    package let digest: String
    /// Does it, on the module's lane; what it throws is counted and logged.
    package let perform: @Sendable (any XMPPModule, ModuleContext) async throws -> Void
    /// Told on the loop where it is not done: there was no room, or the module is shut off.
    package let dropped: @Sendable (any ModuleCompanion) -> Void

    package init(
        digest: String, dropped: @escaping @Sendable (any ModuleCompanion) -> Void = { _ in },
        perform: @escaping @Sendable (any XMPPModule, ModuleContext) async throws -> Void
    ) {
        (self.digest, self.perform, self.dropped) = (digest, perform, dropped)
    }

    /// A digest of what it is about, and of who is behind it.
    package static func digest(_ parts: String?...) -> String {
        var bytes: [UInt8] = []
        for part in parts {
            bytes += (part ?? "").utf8
            bytes.append(0xFF)
        }
        return hexadecimal(Array(XMPPCrypto.digest(.sha256, bytes).prefix(16)))
    }
}
