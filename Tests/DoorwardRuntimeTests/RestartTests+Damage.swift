import DoorwardPolicy
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime
@testable import DoorwardStore

/// What was saved of a session cannot be read.
extension RestartTests {
    @Test(
        "what cannot be read of a saved session is dropped: the account comes online by a fresh login, and stays",
        arguments: [
            "UPDATE resumable_session SET jid = ''", "UPDATE resumable_session SET jid = 'new@example.org/x'",
            "UPDATE resumable_session SET id = ''", "UPDATE resumable_session SET session = 99",
            "UPDATE resumable_session SET features = ''", "UPDATE resumable_session SET features = 'nonsense'",
            "UPDATE resumable_session SET features = '<message/>'",
            "UPDATE resumable_session SET features = features || '<a'",
            "UPDATE stream_count SET inbound = -1", "UPDATE stream_count SET outbound = 4294967296",
            "UPDATE stream_count SET acknowledged = -1", "UPDATE stream_count SET at = -9223372036854775807 - 1",
            "DELETE FROM stream_count", "UPDATE contact SET contact = '@' WHERE contact LIKE 'late%'",
            "UPDATE contact SET groups = CAST(x'FF' AS TEXT)", "UPDATE contact SET name = CAST(x'FF' AS TEXT)",
            "UPDATE contact_resource SET priority = 1000", "UPDATE contact_resource SET contact = '@'",
        ])
    func damaged(sql: String) async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            await world.server.send("<presence from='ally@example.org/phone'/>", to: .bot)
            await world.server.push(.of("late"), to: .bot) { $0.subscription = "to" }
            try await world.quiet()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            folder.copy("live.db", to: "copy.db")
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.service.stop()
            let store = try folder.store("copy.db")
            try await store.damage(sql)
            let next = try World(after: world, .of(accounts, [.of([])]), store: store)
            try await next.until("online by a fresh login") {
                await next.pass(.seconds(1))
                let state = try await next.service.status().accounts.first?.state
                return state == .online && next.saidLast().contains("presence available")
            }
            try await next.quiet()
            #expect(next.resumptions() <= 1)
            #expect(try await next.service.roster(of: .bot)?.items.map(\.jid) == [.ally, .of("late")])
            #expect(try await next.pending().map(\.contact) == [.new])
            // And it is kept again.
            #expect(try await next.store.savedSession(of: .bot) != nil)
            let mirror = try #require(try await next.store.mirror(of: .bot))
            #expect(Set(mirror.contacts.map(\.jid)) == [.ally, .of("late")])
            let connects = next.connects
            await next.pass(.seconds(120))
            #expect(next.connects == connects)
            await next.stop()
        }
    }
}

extension Store {
    fileprivate func damage(_ sql: String) throws { try openConnection().execute(sql) }
}
