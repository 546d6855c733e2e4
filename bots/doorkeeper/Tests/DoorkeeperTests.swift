import BotStage
import DoorwardStore
import Testing
import XMPPCore

@Suite("The doorkeeper")
struct DoorkeeperTests {
    private let support: BareJID

    init() throws { support = try BareJID("support@doorward.test") }

    @Test("friends walk in, are asked back, and stand in their group")
    func friends() async throws {
        let bot = try await BotStage("doorkeeper")
        let ann = try BareJID("ann@friends.test")
        await bot.ask(support, from: ann, "Hi")
        try await bot.answered("subscribed", to: ann)
        try await bot.answered("subscribe", to: ann)
        try await bot.quiet(support)
        let items = bot.requests("query").flatMap(\.elements).filter { $0[attribute: "jid"] == ann.description }
        #expect(items.contains { $0.elements.contains { $0.name == "group" && $0.text == "Friends" } })
        await bot.end()
    }

    @Test("a spam host is refused and blocked, an advert is refused")
    func spam() async throws {
        let bot = try await BotStage("doorkeeper")
        let (spammer, seller) = (try BareJID("deals@spam.test"), try BareJID("joe@example.test"))
        await bot.ask(support, from: spammer, "Hello dear")
        await bot.ask(support, from: seller, "CASINO bonus")
        for contact in [spammer, seller] { try await bot.answered("unsubscribed", to: contact) }
        try await bot.quiet(support)
        let blocked = bot.requests("block").flatMap(\.elements).compactMap { $0[attribute: "jid"] }
        #expect(blocked == [spammer.description])
        await bot.end()
    }

    @Test("a stranger hears nothing until an operator answers, and then the operator's word")
    func strangers() async throws {
        let bot = try await BotStage("doorkeeper")
        let (mia, tom) = (try BareJID("mia@example.test"), try BareJID("tom@example.test"))
        await bot.ask(support, from: mia, "We met at the fair")
        await bot.ask(support, from: tom)
        let waiting = try await bot.waiting(2)
        try await bot.quiet(support)
        #expect(![mia, tom].contains { bot.hasAnswered($0) })
        for row in waiting { try await bot.answer(row, letsIn: row.contact == mia) }
        try await bot.answered("subscribed", to: mia)
        try await bot.answered("unsubscribed", to: tom)
        await bot.end()
    }
}
