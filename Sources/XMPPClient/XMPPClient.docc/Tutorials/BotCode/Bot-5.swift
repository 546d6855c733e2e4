import XMPPClient
import XMPPCore
import XMPPModules

/// Answers contacts who say hello.
struct WeatherModule: XMPPModule {
    /// What bot.yaml says of it; what has a `?` may be left out.
    struct Settings: Decodable {
        var greeting: String
        var limit: UInt16?
    }

    static let name = "weather"
    static let interests: ModuleInterests = [.messages]

    private let settings: Settings
    private let limit: AnswerLimit

    init(settings: Settings) {
        self.settings = settings
        limit = AnswerLimit(Int(settings.limit ?? 10))
    }

    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        // Contacts only, no answers to answers, and not too many to anybody: two bots fall quiet.
        guard case .message(let message, let contact?) = event, contact.seesAccount, message.type == .chat,
            message.body?.isEmpty == false, !message.isReply, limit.allows(contact.jid, at: context.uptime)
        else { return }
        // Kept over restarts, for each account by itself.
        let count = (try await context.storage.value(Int.self, for: "count") ?? 0) + 1
        try await context.storage.set(count, for: "count")
        try await context.reply(
            to: message, with: settings.greeting.replacing("{name}", with: contact.callName))
    }
}

extension WeatherModule: ChatCommandProvider {
    /// What /help lists, beside itself.
    var chatCommands: [ChatCommand] { [ChatCommand("count", help: "says how often I was greeted")] }

    func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String? {
        let count = try await context.storage.value(Int.self, for: "count") ?? 0
        return "I was greeted \(count) times."
    }
}
