package import XMPPCore

/// Gives modules of bot authors what is beyond the bare stream; it lives beside their host, in its isolation.
package protocol ModuleCompanion: AnyObject {
    /// What these modules need in a session, beside the host itself; always the same objects.
    func sessionModules(for kinds: [ModuleKind]) -> [any SessionModule]

    /// A module runs from now on.
    func began(_ module: RunningModule)

    /// A module has stopped, and said what it had to say.
    func ended(_ module: String)

    /// Whether a message is a matter of its own, and no event for modules.
    func takes(_ message: Message, of contact: ModuleContact?) -> Bool

    /// Whether a presence is a matter of its own.
    func takes(_ presence: Presence) -> Bool

    /// A message that asks for a receipt.
    func asking(_ message: Message, id: String) -> Message
}

/// How a companion comes to its host.
package struct ModuleCompanionKind: Sendable {
    /// Makes it, in the isolation of the host, which holds it.
    package let make: @Sendable (ModuleHost) -> any ModuleCompanion
    /// Reads what a module says of itself: once behind its `init`, on its own lane.
    package let declarations: @Sendable (any XMPPModule) -> any Sendable

    package init(
        make: @escaping @Sendable (ModuleHost) -> any ModuleCompanion,
        declarations: @escaping @Sendable (any XMPPModule) -> any Sendable
    ) {
        (self.make, self.declarations) = (make, declarations)
    }
}

/// A module that runs, as a companion knows it.
package struct RunningModule {
    let module: HostedModule
    /// What it said of itself.
    package let declared: any Sendable

    package var name: String { module.name }
}
