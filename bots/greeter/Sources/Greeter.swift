package import XMPPClient
import XMPPCore
package import XMPPModules

/// Welcomes whoever was let in, once, and answers commands.
package struct Greeter: ChatCommandProvider {
    package static let name = "greeter"
    package static let interests: ModuleInterests = [.decisions]

    package let chatCommands = [ChatCommand("count", help: "says how many I have welcomed")]
    private let settings: GreeterSettings

    package init(settings: GreeterSettings) { self.settings = settings }

    package func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        guard case .decision(let decision) = event, decision.isAccepted else { return }
        let key = "welcomed/\(decision.contact)"
        guard try await context.storage.bytes(for: key) == nil else { return }
        // Written first: to be welcomed twice is worse than not at all.
        try await context.storage.set(context.now.milliseconds, for: key)
        let count = try await context.storage.value(Int.self, for: "count") ?? 0
        try await context.storage.set(count + 1, for: "count")
        let contact = await context.contact(decision.contact)
        let name = contact?.name ?? decision.nickname ?? contact?.callName ?? decision.contact.local ?? "you"
        try await context.send(Message(to: JID(decision.contact), body: settings.welcome(name)))
    }

    package func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String? {
        let count = try await context.storage.value(Int.self, for: "count") ?? 0
        return count == 1 ? "I have welcomed one contact." : "I have welcomed \(count) contacts."
    }
}
