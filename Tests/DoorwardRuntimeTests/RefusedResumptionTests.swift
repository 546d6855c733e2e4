import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// A resumption that is refused in whatever way ends in a new session (XEP-0198 section 5, B059).
@Suite struct RefusedResumptionTests {
    static let refusals: [ServerBehaviour.ResumptionRefusal] = [
        .init("item-not-found"), .init("unexpected-request"), .init("feature-not-implemented"), .init("no-such-thing"),
        .init(nil),
    ]
    /// Counts that prove nothing: of more than was sent, from below what was acknowledged, and no numbers.
    static let senselessCounts = ["99999", "2147483647", "2147483648", "4294967295", "4294967296", "-1", "much", ""]

    /// A session in which a rejection was sent that nobody has acknowledged, and whose link then broke.
    private func refused(
        _ refusal: ServerBehaviour.ResumptionRefusal, modern: Bool = false, arrives: Bool = true,
        _ body: (World) async throws -> Void
    ) async throws {
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            await ResumptionTests.managed(server)
            if modern { await server.behave { $0 = .modern } }
            await server.behave { $0.streamManagement?.acknowledges = false }
            guard !arrives else { return }
            await server.react { $0.isPresence("unsubscribed", to: "eve@evil.example") ? .nothing : .usual }
        }
        let policy = Policy.of([Rule("no", .reject(Rejection()), domain: "evil.example")])
        try await inWorld(policy: policy, before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: JID(.of("eve", "evil.example")))
            _ = try await world.server.received.next { $0.isPresence("unsubscribed", to: "eve@evil.example") }
            await world.server.behave {
                $0.streamManagement?.resumptionRefusal = refusal
                $0.streamManagement?.acknowledges = true
            }
            await world.server.react(nil)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.pass(.seconds(3))
            try await world.online()
            try await world.quiet()
            #expect(world.resumptions() == 0)
            #expect(world.connects == 2)
            try await body(world)
        }
    }

    @Test(
        "whatever the condition, the next session is online, and no answer is lost or said in vain",
        arguments: refusals, [true, false])
    func conditions(refusal: ServerBehaviour.ResumptionRefusal, modern: Bool) async throws {
        try await refused(refusal, modern: modern) { world in
            await world.pass(.seconds(31))
            _ = try await world.events.next { $0.isConfirmed(.of("eve", "evil.example")) }
            #expect(world.sent("unsubscribed", to: "eve@evil.example") == 1)
        }
    }

    @Test(
        "a count that cannot be proves nothing: what the server has not had is said again",
        arguments: senselessCounts, [true, false])
    func senseless(count: String, modern: Bool) async throws {
        try await refused(.init("item-not-found", handled: count), modern: modern, arrives: false) { world in
            await world.pass(.seconds(3))
            _ = try await world.events.next(within: 5) { $0.isConfirmed(.of("eve", "evil.example")) }
            #expect(try await world.history().map(\.state) == [.confirmed], "one decision, and not a second one")
            #expect(world.sent("unsubscribed", to: "eve@evil.example") == 2)
            #expect(await world.server.requests(of: .bot).isEmpty)
        }
    }
}
