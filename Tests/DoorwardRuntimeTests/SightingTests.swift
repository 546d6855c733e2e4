import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// When contacts were last seen, of those who are there all along.
@Suite struct SightingTests {
    private static func present(_ server: ScriptedServer) async {
        await ResumptionTests.managed(server)
    }

    private func arrive(_ world: World) async throws {
        try await world.online()
        await world.server.send("<presence from='ally@example.org/x'/>", to: .bot)
        try await world.quiet()
    }

    private func seen(_ world: World, _ contact: BareJID = .ally) async throws -> Timestamp? {
        try await world.store.evidence(of: .bot)[contact]?.lastPresence
    }

    @Test("who is there is written every quarter of an hour, so that a kill loses no more than that")
    func quarters() async throws {
        try await inWorld(before: Self.present) { world in
            try await arrive(world)
            for _ in 0..<3 {
                let start = world.time.wallMilliseconds
                for _ in 0..<15 {
                    await world.pass(.seconds(60))
                    // A server that had no time to answer would be given up.
                    try await world.quiet()
                }
                try await world.until("it is written") {
                    (try await seen(world)?.milliseconds ?? 0) > start
                }
            }
            // Between them nothing of it is written.
            var moments: Set<Int64> = []
            for _ in 0..<30 {
                await world.pass(.seconds(60))
                try await world.quiet()
                if let moment = try await seen(world) { moments.insert(moment.milliseconds) }
            }
            #expect(moments.count == 3, "\(moments)")
        }
    }

    @Test("a link that breaks was the last moment at which anybody was seen, whether or not the session goes on")
    func broken() async throws {
        for isManaged in [true, false] {
            let setup = { (server: ScriptedServer) in
                await Self.present(server)
                if !isManaged { await server.behave { $0.streamManagement = nil } }
            }
            try await inWorld(before: setup) { world in
                try await arrive(world)
                await world.pass(.seconds(59))
                let moment = world.time.wallMilliseconds
                await world.server.dropLink(of: .bot)
                _ = try await world.state(.waiting)
                try await world.until("it is written") { try await seen(world)?.milliseconds == moment }
            }
        }
    }

    @Test("who is removed while it is there was seen until then")
    func removed() async throws {
        try await inWorld(before: Self.present) { world in
            try await arrive(world)
            await world.pass(.seconds(30))
            let moment = world.time.wallMilliseconds
            _ = try await world.service.change(.remove, of: .ally, on: .bot, by: "ana")
            let gone = try #require(try await world.service.goneContacts(of: .bot, limit: 1)?.first)
            #expect(gone.evidence?.lastPresence?.milliseconds == moment)
        }
    }

    @Test("what was seen of one who was removed a moment later is kept with its end")
    func leftBefore() async throws {
        try await inWorld(before: Self.present) { world in
            try await arrive(world)
            await world.pass(.seconds(5))
            let moment = world.time.wallMilliseconds
            await world.server.send(
                "<presence type='unavailable' from='ally@example.org/x'/>"
                    + "<message from='ally@example.org/x'><body>bye</body></message>", to: .bot)
            try await world.quiet()
            await world.pass(.seconds(5))
            await world.server.remove(.ally, from: .bot)
            try await world.quiet()
            let gone = try #require(try await world.service.goneContacts(of: .bot, limit: 1)?.first)
            #expect(gone.evidence?.lastPresence?.milliseconds == moment)
            #expect(gone.evidence?.lastMessageIn?.milliseconds == moment)
        }
    }
}
