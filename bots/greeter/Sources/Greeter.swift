package import XMPPClient
import XMPPCore

/// Welcomes whoever was let in, once, and answers some commands.
package struct Greeter: XMPPModule {
    package static let name = "greeter"
    package static let interests: ModuleInterests = [.messages, .decisions]

    private let settings: GreeterSettings
    private let limit = AnswerLimit(20)

    package init(settings: GreeterSettings) { self.settings = settings }

    package func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        switch event {
        case .decision(let decision) where decision.isAccepted:
            try await welcome(decision, in: context)
        case .message(let message, let contact?):
            try await answer(message, of: contact, in: context)
        default: break
        }
    }

    private func welcome(_ decision: ModuleDecision, in context: ModuleContext) async throws {
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

    private func answer(_ message: Message, of contact: ModuleContact, in context: ModuleContext) async throws {
        guard message.type == .chat, contact.seesAccount, let body = message.body, body.utf8.first == UInt8(ascii: "/"),
            limit.allows(contact.jid, at: context.uptime)
        else { return }
        let word = body.prefix { !$0.isWhitespace }.lowercased()
        let text =
            if let command = Self.commands.first(where: { $0.word == word }) {
                try await command.answer(context)
            } else {
                "I do not know \(word.prefix(40)). /help says what I know."
            }
        try await context.reply(to: message, with: text)
    }

    // MARK: Commands

    private struct Command {
        let word: String
        let summary: String
        let answer: @Sendable (ModuleContext) async throws -> String
    }

    private static let commands: [Command] = [
        Command(word: "/help", summary: "says what I know") { _ in
            commands.map { "\($0.word): \($0.summary)" }.joined(separator: "\n")
        },
        Command(word: "/count", summary: "says how many I have welcomed") { context in
            let count = try await context.storage.value(Int.self, for: "count") ?? 0
            return count == 1 ? "I have welcomed one contact." : "I have welcomed \(count) contacts."
        },
    ]
}
