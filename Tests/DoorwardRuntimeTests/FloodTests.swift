import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// More requests than a slow reader could take.
@Suite struct FloodTests {
    @Test(
        "two thousand requests are acknowledged as the server asks, while rules run, and each is answered once (B010)")
    func acknowledged() async throws {
        try await inWorld(policy: .acceptAll, before: ResumptionTests.managed) { world in
            try await world.online()
            for number in 0..<2_000 {
                await world.server.ask(.bot, from: JID(.of("u\(number)")), "hello")
                guard number % 50 == 49 else { continue }
                // Without any time that passes: an answer that is held back is held back for ever here. Asked again: what
                // the server pushes because of our answers comes behind a question.
                try await world.until("acknowledged") {
                    await world.server.requestAcknowledgement(of: .bot)
                    return await world.server.unacknowledgedStanzas(of: .bot).map { $0 < 60 } == true
                }
            }
            try await world.until("answered") { try await world.store.liveRequests(of: .bot).isEmpty }
            try await world.until("acknowledged to the end") {
                await world.server.requestAcknowledgement(of: .bot)
                return await world.server.unacknowledgedStanzas(of: .bot) == 0
            }
            #expect(world.connects == 1)
            let answers = world.presences.filter { $0.hasPrefix("subscribed ") }
            #expect(answers.count == 2_000 && Set(answers).count == 2_000)
            let history = try await world.history()
            #expect(history.count == 2_000 && history.allSatisfy { $0.state == .confirmed })
        }
    }

    @Test("a server that reads nothing for a while gets its acknowledgements, and no answer is lost (B010)")
    func notReading() async throws {
        try await inWorld(policy: .acceptAll, before: ResumptionTests.managed) { world in
            try await world.online()
            // It takes what is written, and says nothing of it.
            await world.server.behave { $0.streamManagement?.acknowledges = false }
            for number in 0..<500 { await world.server.ask(.bot, from: JID(.of("u\(number)"))) }
            try await world.until("acknowledged") {
                // Asked again: what it pushes because of our first answers comes behind a question.
                await world.server.requestAcknowledgement(of: .bot)
                return await world.server.unacknowledgedStanzas(of: .bot).map { $0 < 10 } == true
            }
            // What is out and not acknowledged has a bound; the rest is on disk and waits.
            try await world.until("all are on disk") { try await world.history().count == 500 }
            await world.server.behave { $0.streamManagement?.acknowledges = true }
            await world.pass(.seconds(5))
            try await world.until("answered") { try await world.store.liveRequests(of: .bot).isEmpty }
            let answers = world.presences.filter { $0.hasPrefix("subscribed ") }
            #expect(Set(answers).count == 500)
        }
    }
}
