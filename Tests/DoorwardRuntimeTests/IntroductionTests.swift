import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// Invitations and moved contacts, in a whole service.
@Suite struct IntroductionTests {
    private func made(_ world: World, uses: Int = 1, for contact: BareJID? = nil) async throws -> Invitation {
        let order = InvitationOrder(account: .bot, contact: contact, uses: uses)
        guard case .made(let made) = try await world.service.invite(order, by: "ana") else { throw World.Missing() }
        return made
    }

    private func preauth(_ token: String) -> Element {
        Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", token)])
    }

    // MARK: Invitations

    @Test(
        "who shows a token is accepted by it and asked in return, whatever the policy says", arguments: [true, false])
    func invited(isRejected: Bool) async throws {
        let policy: Policy = isRejected ? .of([Rule("none", .reject(Rejection(block: true)))]) : .of([])
        try await inWorld(policy: policy) { world in
            try await world.online()
            let made = try await made(world)
            #expect(made.uri == "xmpp:bot@example.org?roster;preauth=\(made.token)")
            #expect(made.token.utf8.count == 26)
            await world.server.ask(.bot, from: JID(.new), with: [preauth(made.token)])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences == ["subscribed new@example.net", "subscribe new@example.net"])
            let history = try await world.history()
            #expect(history.map(\.by) == ["token"])
            #expect(history.first?.state == .confirmed)
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
            let known = try await world.store.evidence(of: .bot)[.new]
            #expect(known?.addedBy == .invitation && known?.addedName == "ana")
            #expect(try await world.store.invitations(of: .bot).map(\.used) == [1])
            // Used up: the next one is an ordinary request.
            await world.server.ask(.bot, from: JID(.of("second")), with: [preauth(made.token)])
            if isRejected {
                try await world.until("rejected and blocked") { await world.server.blocked(by: .bot).isEmpty == false }
                #expect(world.sent("unsubscribed", to: "second@example.net") == 1)
            } else {
                try await world.until("on the desk") { try await world.pending().map(\.contact) == [.of("second")] }
            }
            #expect(world.sent("subscribed", to: "second@example.net") == 0)
        }
    }

    @Test("an operator's answer to a request with a worthless token is sent in the same session")
    func worthless() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            await world.server.ask(.bot, from: JID(.new), with: [preauth("nothing")])
            try await world.until("on the desk") { try await world.pending().first?.seenCount == 2 }
            let row = try #require(try await world.pending().first)
            _ = try await world.service.answer([.accept(row)])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["subscribed new@example.net"])
        }
    }

    @Test("a request that came without its token is let in when it comes again with it")
    func later() async throws {
        try await inWorld { world in
            try await world.online()
            let made = try await made(world, for: .new)
            await world.server.ask(.bot, from: .new)
            try await world.until("on the desk") { try await world.pending().count == 1 }
            await world.server.ask(.bot, from: JID(.new), with: [preauth(made.token)])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(try await world.pending().isEmpty)
        }
    }

    @Test(
        "one use is one request over new logins and a server that forgets the token, and the answer is said once more")
    func redelivery() async throws {
        try await inWorld { world in
            try await world.online()
            let made = try await made(world, uses: 5)
            // The server is gone before the verdict reaches it.
            await world.server.react { $0.isPresence("subscribed", to: "new@example.net") ? .nothing : .usual }
            await world.server.ask(.bot, from: JID(.new), with: [preauth(made.token)])
            _ = try await world.events.next { $0.isDecided(.new) }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.react(nil)
            await world.server.forgetWhatRequestsBrought(to: .bot)
            await world.pass(.seconds(60))
            try await world.online()
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(try await world.store.invitations(of: .bot).map(\.used) == [1])
            #expect(await world.server.roster(of: .bot).map(\.subscription) == ["from"])
            // Where the answer was found to have met nothing first, the request was closed and has come again.
            let decided = try await world.history().filter { $0.event == .decided }
            #expect(decided.allSatisfy { $0.by == "token" })
        }
    }

    @Test("what is only observed spends nothing, and nobody blocked gets in by a token")
    func notCounted() async throws {
        try await inWorld([.of("bot@example.org", mode: .observe)]) { world in
            try await world.online()
            let made = try await made(world)
            await world.server.ask(.bot, from: JID(.new), with: [preauth(made.token)])
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            #expect(try await world.store.invitations(of: .bot).map(\.used) == [0])
            #expect(world.presences.isEmpty)
        }
        try await inWorld { world in
            try await world.online()
            let made = try await made(world)
            _ = try await world.service.block(.bot, [JID(.new)], report: nil, by: "ana")
            await world.server.ask(.bot, from: JID(.new), with: [preauth(made.token)])
            try await world.quiet()
            #expect(try await world.store.invitations(of: .bot).map(\.used) == [0])
            #expect(world.presences.isEmpty)
        }
    }

    @Test("an invitation of an account that is not there is none; tokens differ and stand in no event")
    func orders() async throws {
        try await inWorld { world in
            let order = InvitationOrder(account: .of("x"))
            guard case .noAccount = try await world.service.invite(order, by: "ana") else {
                Issue.record("made")
                return
            }
            let tokens = [try await made(world).token, try await made(world).token]
            #expect(Set(tokens).count == 2)
            for case .noted(let note) in world.events.all {
                #expect(!note.fields.contains { field in tokens.contains { field.1?.contains($0) == true } })
            }
        }
    }

    // MARK: Moved contacts

    private static let old = BareJID.of("old", "example.com")

    private func claim() -> Element {
        let old = Element("old-jid", namespace: Namespace.moved, children: [.text("old@example.com")])
        return Element("moved", namespace: Namespace.moved, children: [.element(old)])
    }

    private func withOldContact(_ server: ScriptedServer) async {
        await server.push(Self.old, to: .bot) {
            $0.subscription = "both"
            ($0.name, $0.groups) = ("Olga", ["Friends"])
        }
    }

    /// Answers the question to the old address.
    private func answering(_ world: World, _ new: String) async {
        await world.server.react { received in
            guard received.isIQ("get", "pubsub", Namespace.pubsub), let id = received.element[attribute: "id"] else {
                return .usual
            }
            return .send(
                """
                <iq type='result' id='\(id)' from='old@example.com'><pubsub xmlns='\(Namespace.pubsub)'><items \
                node='urn:xmpp:moved:1'><item id='current'><moved xmlns='urn:xmpp:moved:1'><new-jid>\(new)</new-jid>\
                </moved></item></items></pubsub></iq>
                """)
        }
    }

    @Test("a move that the old address confirms is shown, and an accept revokes the old one and asks the new one")
    func moved() async throws {
        try await inWorld(before: withOldContact) { world in
            try await world.online()
            await answering(world, "new@example.net")
            await world.server.ask(.bot, from: JID(.new), with: [claim()])
            try await world.until("verified") { try await world.pending().first?.move?.state == .verifiedBoth }
            let row = try #require(try await world.pending().first)
            #expect(row.version == 2)
            _ = try await world.service.answer([.accept(row)])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(
                world.presences == [
                    "subscribed new@example.net", "subscribe new@example.net", "unsubscribed old@example.com",
                ])
            #expect(await world.server.roster(of: .bot).first { $0.jid == Self.old }?.subscription == "to")
            // Who has moved is called and grouped as before.
            let new = await world.server.roster(of: .bot).first { $0.jid == .new }
            #expect(new?.name == "Olga" && new?.groups == ["Friends"])
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }

    @Test("a move that the old address does not confirm stays a claim", arguments: ["else@example.net", "@"])
    func denied(new: String) async throws {
        try await inWorld(before: withOldContact) { world in
            try await world.online()
            await answering(world, new)
            await world.server.ask(.bot, from: JID(.new), with: [claim()])
            try await world.until("on the desk") { try await world.pending().count == 1 }
            try await world.quiet()
            let row = try #require(try await world.pending().first)
            #expect(row.move?.state == .claimed && row.version == 1)
            _ = try await world.service.answer([.accept(row)])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["subscribed new@example.net"])
        }
    }

    @Test("a claim to have been a stranger asks nobody, and is not kept")
    func stranger() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: JID(.new), with: [claim()])
            try await world.until("on the desk") { try await world.pending().count == 1 }
            try await world.quiet()
            #expect(try await world.pending().first?.move == nil)
            #expect(!world.server.received.all.contains { $0.isIQ("get", "pubsub", Namespace.pubsub) })
        }
    }
}
