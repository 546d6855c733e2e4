package import XMPPClient
import XMPPCore

/// Says back to contacts what they say.
package struct Echo: XMPPModule {
    /// `modules: { echo: { answers_per_minute: 10 } }`; nothing needs to be said.
    package struct Settings: Decodable, Sendable {
        var answersPerMinute: UInt16?

        private enum CodingKeys: String, CodingKey { case answersPerMinute = "answers_per_minute" }
    }

    package static let name = "echo"
    package static let interests: ModuleInterests = [.messages]

    private let limit: AnswerLimit

    package init(settings: Settings) { limit = AnswerLimit(Int(settings.answersPerMinute ?? 10)) }

    package func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        // No answer to an answer, and not too many to anybody: two of us fall quiet.
        guard case .message(let message, let contact?) = event, contact.seesAccount, message.type == .chat,
            let body = message.body, !body.isEmpty, !message.isReply, limit.allows(contact.jid, at: context.uptime)
        else { return }
        try await context.reply(to: message, with: body)
    }
}
