import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Tokens, alone and with a move.
extension IntroductionPolicyTests {
    @Test("a token that is used up is a fact that a rule can judge; one that nobody made is none")
    func expired() async throws {
        let policy = Policy.of([
            Self.rule("too late", .token([.expired]), .reject(Rejection())), Rule("others", .accept(Acceptance())),
        ])
        try await inWorld(policy: policy) { world in
            try await world.online()
            let order = InvitationOrder(account: .bot)
            guard case .made(let made) = try await world.service.invite(order, by: "ana") else { throw World.Missing() }
            let preauth = { (token: String) in
                Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", token)])
            }
            for (name, token) in [("one", made.token), ("two", made.token), ("three", "never-made")] {
                await world.server.ask(.bot, from: JID(.of(name)), with: [preauth(token)])
                _ = try await world.events.next { $0.isConfirmed(.of(name)) }
            }
            let history = try await world.history().filter { $0.event == .decided }
            #expect(history.map(\.by) == ["rule", "rule", "token"])
            #expect(history.map(\.rule) == ["others", "too late", nil])
            let told = world.events.all.compactMap { event -> String? in
                guard case .decided(_, let by, _) = event else { return nil }
                return by
            }
            #expect(told == ["token", "rule", "rule"])
        }
    }

    @Test("a valid token and a claim: the invitation decides, once, when the claim is settled")
    func tokenAndMove() async throws {
        try await inWorld(policy: Self.moves, before: withOldContact) { world in
            try await world.online()
            await answering(world.server, "new@example.net")
            let order = InvitationOrder(account: .bot)
            guard case .made(let made) = try await world.service.invite(order, by: "ana") else { throw World.Missing() }
            let preauth = Element(
                "preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", made.token)])
            await world.server.ask(.bot, from: JID(.new), with: [preauth, Self.claim()])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences == ["subscribed new@example.net", "subscribe new@example.net"])
            #expect(try await world.history().map(\.by) == ["token"])
            #expect(try await world.store.invitations(of: .bot).map(\.used) == [1])
        }
    }

    // MARK: Gateways

    @Test("who is behind a gateway that is a contact is known as that; the gateway's own domain alone says nothing")
    func gateways() async throws {
        let policy = Policy.of([Self.rule("gateway", .gateway(true), .accept(Acceptance())), Rule("others", .ask)])
        let before = { @Sendable (server: ScriptedServer) async -> Void in
            await server.push(BareJID(preparedLocal: nil, preparedDomain: "irc.test"), to: .bot) {
                $0.subscription = "both"
            }
            // Only written down: nobody has agreed to anything.
            await server.push(BareJID(preparedLocal: nil, preparedDomain: "sms.test"), to: .bot) {
                $0.subscription = "none"
            }
        }
        try await inWorld(policy: policy, before: before) { world in
            try await world.online()
            await world.server.ask(.bot, from: JID(.of("ann", "irc.test")))
            _ = try await world.events.next { $0.isConfirmed(.of("ann", "irc.test")) }
            for domain in ["sms.test", "sub.irc.test", "new.test"] {
                await world.server.ask(.bot, from: JID(.of("ann", domain)))
                _ = try await world.events.next { $0.isDecided(.of("ann", domain)) }
            }
            #expect(try await world.pending().count == 3)
            #expect(world.presences == ["subscribed ann@irc.test"])
        }
    }
}
