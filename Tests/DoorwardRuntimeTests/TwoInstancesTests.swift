import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Two processes with the same account and resource (RFC 6120 section 7.7.2.2, B056).
@Suite struct TwoInstancesTests {
    /// Runs two of them on one server, the second once the first is online.
    private func together(
        _ conflict: ServerBehaviour.ResourceConflict, managed: Bool,
        _ body: (_ first: World, _ second: World) async throws -> Void
    ) async throws {
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            if managed { await server.behave { $0.streamManagement = .init() } }
            await server.behave { $0.resourceConflict = conflict }
        }
        try await inWorld(before: setup) { first in
            try await first.online()
            let second = try World(
                after: first, .of([.of("bot@example.org")], [.of([])]), store: try Store(path: ":memory:"))
            do {
                try await body(first, second)
            } catch {
                await second.stop()
                throw error
            }
            await second.stop()
        }
    }

    private func states(_ worlds: World...) async throws -> [AccountStatus.State?] {
        var states: [AccountStatus.State?] = []
        for world in worlds { states.append(try await world.service.status().accounts.first?.state) }
        return states
    }

    /// Lets so much time go by in steps, and waits for logins that begin in it.
    private func pass(_ seconds: Int, by step: Int = 1, _ first: World, _ second: World) async throws {
        for _ in 0..<(seconds / step) {
            await first.pass(.seconds(step))
            try await first.until("no login is under way") {
                try await states(first, second).allSatisfy { $0 != .connecting }
            }
        }
    }

    /// How often one threw the other out, or was refused.
    private func flips(_ first: World, _ second: World) -> Int {
        [first, second].reduce(0) { count, world in
            count + world.events.all.count { $0.isChange(of: .bot, to: .waiting) || $0.isChange(of: .bot, to: .parked) }
        }
    }

    @Test(
        "settle with one flip at most, whichever of them the server prefers, and both stay online",
        arguments: [ServerBehaviour.ResourceConflict.replacesOld, .refusesNew, .renamesNew], [true, false])
    func settle(conflict: ServerBehaviour.ResourceConflict, managed: Bool) async throws {
        try await together(conflict, managed: managed) { first, second in
            switch conflict {
            case .replacesOld: _ = try await first.state(.waiting)
            case .refusesNew: _ = try await second.state(.waiting)
            case .renamesNew, .allowsOne: _ = try await second.state(.online)
            }
            try await pass(90, first, second)
            #expect(try await states(first, second) == [.online, .online])
            let connects = first.connects
            // An hour later nothing has changed.
            try await pass(3600, by: 20, first, second)
            #expect(try await states(first, second) == [.online, .online])
            #expect(first.connects == connects)
            #expect(flips(first, second) == (conflict == .renamesNew ? 0 : 1))
            // A session that was thrown out is not resumed.
            #expect(first.resumptions() == 0)
        }
    }

    @Test(
        "where the server lets the account have one session only, one of them gives up, and the other stays",
        arguments: [true, false])
    func onlyOne(managed: Bool) async throws {
        try await together(.allowsOne, managed: managed) { first, second in
            _ = try await first.state(.waiting)
            try await pass(600, first, second)
            let found = try await states(first, second)
            #expect(found.count { $0 == .online } == 1 && found.count { $0 == .parked } == 1, "\(found)")
            #expect(flips(first, second) <= 2 * RestartPolicy.conflictLimit - 1)
            let connects = first.connects
            try await pass(3600, by: 20, first, second)
            #expect(try await states(first, second) == found)
            #expect(first.connects == connects)
            #expect(first.resumptions() == 0)
        }
    }
}
