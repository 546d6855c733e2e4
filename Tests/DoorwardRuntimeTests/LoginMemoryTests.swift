import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPCrypto
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// What an account remembers of its logins, and who may make it forget.
@Suite struct LoginMemoryTests {
    private static let plainAllowed = [
        AccountConfiguration.of("bot@example.org", login: .init(allowsPlain: true))
    ]

    /// The connection ends, and the account tries again.
    private func again(_ world: World) async throws {
        await world.server.closeStream(of: .bot)
        _ = try await world.state(.waiting)
        try await world.until("the rest is scheduled") { world.loop.timerCount > 0 }
        await world.pass(.seconds(3))
    }

    @Test(
        "a server that once knew SCRAM and now wants the password itself gets nothing, until an admin trusts it again")
    func weakened() async throws {
        try await inWorld(Self.plainAllowed) { world in
            try await world.online()
            #expect(try await world.store.login(of: .bot)?.isStrong == true)
            await world.server.behave { $0.mechanisms = ["PLAIN"] }
            try await again(world)
            _ = try await world.state(.parked)
            let alert = try await world.events.next { $0.isAlert(AlertCode.loginWeakened) }
            guard case .alertRaised(let row) = alert else { return }
            #expect(row.text.contains("doorward account trust-again bot@example.org"))
            #expect(!world.server.received.all.contains { $0.element[attribute: "mechanism"] == "PLAIN" })
            // A reload tries again, and forgets nothing.
            _ = await world.service.reload()
            _ = try await world.state(.parked)
            #expect(!world.server.received.all.contains { $0.element[attribute: "mechanism"] == "PLAIN" })
            #expect(try await world.service.trustAgain(.bot, by: "ana"))
            try await world.online()
            #expect(world.server.received.all.contains { $0.element[attribute: "mechanism"] == "PLAIN" })
            let told = world.events.all.contains {
                if case .trustedAgain(.bot, "ana") = $0 { true } else { false }
            }
            #expect(told)
            #expect(try await world.service.status().alerts.isEmpty)
            #expect(try await world.store.login(of: .bot)?.isStrong == false)
        }
    }

    @Test("without 'plain: allowed' the password is never sent, memory or not")
    func neverPlain() async throws {
        try await inWorld(before: { await $0.behave { $0.mechanisms = ["PLAIN"] } }) { world in
            _ = try await world.state(.parked)
            _ = try await world.events.next { $0.isAlert(AlertCode.accountParked) }
            #expect(!world.server.received.all.contains { $0.element.name == "auth" })
        }
    }

    @Test("a binding that the server announced is not done without again, until an admin trusts it again")
    func bindingLost() async throws {
        let modern = { @Sendable (server: ScriptedServer) async -> Void in
            await server.behave { behaviour in
                behaviour = .modern
                behaviour.sasl2 = nil
                behaviour.streamManagement = nil
            }
        }
        try await inWorld(before: modern) { world in
            try await world.online()
            #expect(try await world.store.login(of: .bot)?.isBound == true)
            await world.server.behave {
                $0.mechanisms = ["SCRAM-SHA-1", "SCRAM-SHA-256"]
                $0.announcedBindings = nil
            }
            try await again(world)
            _ = try await world.state(.parked)
            _ = try await world.events.next { $0.isAlert(AlertCode.channelBindingLost) }
            #expect(try await world.service.trustAgain(.bot, by: "ana"))
            try await world.online()
            let login = try #require(try await world.store.login(of: .bot))
            #expect(login.isStrong)
            #expect(!login.isBound)
            #expect(try await world.service.trustAgain(.new, by: "ana") == false)
        }
    }

    @Test("memory, token and user agent outlive the process; a token that does not work is forgotten")
    func token() async throws {
        let folder = try StoreFolder()
        let store = try folder.store("live.db")
        let modern = { @Sendable (server: ScriptedServer) async -> Void in await server.behave { $0 = .modern } }
        let accounts = [AccountConfiguration.of("bot@example.org"), .of("other@example.org")]
        try await inWorld(accounts, store: store, before: modern) { world in
            try await world.online()
            try await world.online(.of("other", "example.org"))
            await world.service.stop()
            await world.ended()
            let login = try #require(try await store.login(of: .bot))
            let other = try #require(try await store.login(of: .of("other", "example.org")))
            #expect(login.userAgent != other.userAgent)
            #expect(
                login.userAgent.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
                    != nil)
            #expect(login.isBound)
            #expect(login.token != nil)
            await store.close()
            let next = try World(after: world, .of([accounts[0]], [.of([])]), store: folder.store("live.db"))
            try await next.online()
            let mechanisms = mechanisms(of: next)
            #expect(mechanisms.last?.hasPrefix("HT-") == true)
            let ids = next.server.received.all.compactMap {
                $0.element.first("user-agent", "urn:xmpp:sasl:2")?[attribute: "id"]
            }
            #expect(Set(ids.filter { $0 != other.userAgent }) == [login.userAgent])
            await next.server.behave { $0.sasl2?.tokens = .expired }
            try await again(next)
            try await next.online()
            #expect(self.mechanisms(of: next).last?.hasPrefix("SCRAM-") == true)
            // Nothing of it is said to anybody.
            let secret = String(decoding: login.token?.secret.bytes ?? [], as: UTF8.self)
            #expect(!secret.isEmpty)
            #expect(!(world.events.all + next.events.all).contains { "\($0)".contains(secret) })
            await next.stop()
        }
    }

    @Test(
        "a server that lets us in by the token and does not prove that it knows it: parked, and the token is gone",
        arguments: [ServerBehaviour.Proof.absent, .empty, .wrong])
    func tokenWithoutProof(proof: ServerBehaviour.Proof) async throws {
        let modern = { @Sendable (server: ScriptedServer) async -> Void in await server.behave { $0 = .modern } }
        try await inWorld(before: modern) { world in
            try await world.online()
            await world.server.expireSessions(of: .bot)
            await world.server.behave { $0.proof = proof }
            try await again(world)
            let status = try await world.state(.parked)
            #expect(status.lastError?.contains("did not prove") == true)
            _ = try await world.events.next { $0.isAlert(AlertCode.accountParked) }
            try await world.until("the token is forgotten") { try await world.store.login(of: .bot)?.token == nil }
            // It is not tried again by itself, and then not by the token.
            let connects = world.connects
            await world.pass(.seconds(3600))
            #expect(world.connects == connects)
            await world.server.behave { $0.proof = .proper }
            #expect(await world.service.reload().change?.restarted == [.bot])
            try await world.online()
            #expect(mechanisms(of: world).last?.hasPrefix("SCRAM-") == true)
        }
    }

    private func mechanisms(of world: World) -> [String] {
        world.server.events.all.compactMap {
            if case .authenticated(.bot, let mechanism, _) = $0 { mechanism } else { nil }
        }
    }

    @Test("with SASL2 and all that comes with it a session resumes within the login, in the process and over its end")
    func resumedWithin() async throws {
        let folder = try StoreFolder()
        let modern = { @Sendable (server: ScriptedServer) async -> Void in await server.behave { $0 = .modern } }
        let accounts = [AccountConfiguration.of("bot@example.org")]
        try await inWorld(accounts, policy: .acceptAll, store: folder.store("live.db"), before: modern) { world in
            try await world.online()
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.pass(.seconds(3))
            _ = try await world.events.next { $0.isChange(of: .bot, to: .online) }
            try await world.quiet()
            #expect(world.resumptions() == 1)
            folder.copy("live.db", to: "copy.db")
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.service.stop()
            await world.server.ask(.bot, from: .new)
            let next = try World(after: world, .of(accounts, [.acceptAll]), store: folder.store("copy.db"))
            _ = try await next.events.next { $0.isConfirmed(.new) }
            #expect(next.resumptions() == 2)
            await next.stop()
        }
    }
}
