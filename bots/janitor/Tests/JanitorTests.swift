import BotStage
import Testing
import XMPPCore
import XMPPTestKit

@Suite("The janitor")
struct JanitorTests {
    @Test("until there is pruning it removes nobody, however long they are away, and answers by its policy")
    func keeps() async throws {
        let old = try BareJID("old@example.test")
        let account = try BareJID("janitor@doorward.test")
        let bot = try await BotStage("janitor", roster: [ServerRosterItem(old, subscription: "both")])
        let ann = try BareJID("ann@friends.test")
        await bot.ask(account, from: ann)
        try await bot.answered("subscribed", to: ann)
        for _ in 0..<10 {
            bot.time.advance(by: .seconds(20))
            try await bot.quiet(account)
        }
        #expect(!bot.hasAnswered(old))
        let changed = bot.requests("query").flatMap(\.elements)
        #expect(!changed.contains { $0[attribute: "subscription"] == "remove" })
        await bot.end()
    }
}
