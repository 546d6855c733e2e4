import BotStage
import DoorwardStore
import Testing
import XMPPCore

@Suite("The lobby")
struct LobbyTests {
    @Test("staff walk in, a guest who says why is asked about, and one who does not is refused")
    func decides() async throws {
        let bot = try await BotStage("lobby")
        let front = try BareJID("front@corp.test")
        let (staff, guest) = (try BareJID("bo@lab.corp.test"), try BareJID("joe@example.test"))
        let silent = try BareJID("eve@corp.test.evil.example")
        await bot.ask(front, from: staff)
        await bot.ask(front, from: guest, "I come at nine")
        await bot.ask(front, from: silent)
        try await bot.answered("subscribed", to: staff)
        try await bot.answered("unsubscribed", to: silent)
        let waiting = try await bot.waiting(1)
        #expect(waiting.map(\.contact) == [guest])
        try await bot.quiet(front)
        #expect(!bot.hasAnswered(guest))
        await bot.end()
    }
}
