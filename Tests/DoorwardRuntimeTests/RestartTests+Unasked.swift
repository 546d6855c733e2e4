import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// What a server says before it is asked for a session.
extension RestartTests {
    /// What passes by itself, or may be anybody's on the way.
    enum Passing: CaseIterable {
        case forgedBeforeTLS, refusedTLS, shutdown, temporaryFailure, reset

        var interruption: ServerBehaviour.Interruption {
            switch self {
            case .forgedBeforeTLS: .init(at: .headerInClear, streamError: "host-unknown")
            case .refusedTLS: .init(at: .startTLS, xml: "<failure xmlns='\(Namespace.tls)'/>")
            case .shutdown: .init(at: .headerBehindTLS, streamError: "system-shutdown")
            case .temporaryFailure:
                .init(
                    at: .authentication,
                    xml: "<failure xmlns='\(Namespace.sasl)'><temporary-auth-failure/></failure>")
            case .reset: .init(at: .headerBehindLogin, streamError: "reset")
            }
        }
    }

    /// A server that keeps sessions for long: here time passes by the second while the store is at work.
    private static func patient(_ server: ScriptedServer) async {
        await ResumptionTests.managed(server)
        await server.behave { $0.streamManagement?.maximum = 10_000_000 }
    }

    /// Fails some logins more than a session survives that was asked for.
    private func fail(_ world: World, _ interruption: ServerBehaviour.Interruption) async throws {
        let before = world.connects
        await world.server.behave { $0.interruption = interruption }
        try await world.until("some tries") {
            await world.pass(.seconds(1))
            return world.connects >= before + 6
        }
        await world.server.behave { $0.interruption = nil }
    }

    @Test("what passes before the session is asked for leaves it, in the same process", arguments: Passing.allCases)
    func passes(_ passing: Passing) async throws {
        try await inWorld(accounts, before: Self.patient) { world in
            try await world.online()
            try await world.quiet()
            await world.server.dropLink(of: .bot)
            try await fail(world, passing.interruption)
            try await world.until("resumed") {
                await world.pass(.seconds(1))
                return world.resumptions() == 1
            }
        }
    }

    @Test("and in the next process", arguments: Passing.allCases)
    func passesAfterRestart(_ passing: Passing) async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: Self.patient) { world in
            try await world.online()
            try await world.quiet()
            let next = try await kill(world, .of(accounts, [.of([])])) { server in
                await server.behave { $0.interruption = passing.interruption }
            }
            try await fail(next, passing.interruption)
            try await next.until("resumed") {
                await next.pass(.seconds(1))
                return next.resumptions() == 1
            }
            await next.stop()
        }
    }

    @Test(
        "what a person must mend, or needs another resource, gives the session up at once",
        arguments: [
            .init(at: .headerBehindTLS, streamError: "host-unknown"),
            .init(at: .authentication, xml: "<failure xmlns='\(Namespace.sasl)'><not-authorized/></failure>"),
            .init(at: .headerBehindLogin, streamError: "conflict"),
            .init(at: .binding, streamError: "not-authorized"),
        ] as [ServerBehaviour.Interruption])
    func doesNotPass(_ interruption: ServerBehaviour.Interruption) async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            try await world.quiet()
            let next = try await kill(world, .of(accounts, [.of([])])) { server in
                await server.behave { $0.interruption = interruption }
            }
            try await next.until("given up") { try await next.store.savedSession(of: .bot) == nil }
            #expect(next.connects == world.connects)
            await next.stop()
        }
    }
}
