import DoorwardStore
import Testing
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// Claims to have been somebody else (XEP-0283), from many, again and again, and about those who see nothing of the account.
@Suite struct MovedClaimTests {
    private static func old(_ number: Int) -> BareJID { .of("old\(number)", "example.com") }

    private func claim(_ old: BareJID) -> Element {
        let name = Element("old-jid", namespace: Namespace.moved, children: [.text(old.description)])
        return Element("moved", namespace: Namespace.moved, children: [.element(name)])
    }

    private func questions(_ world: World) -> [String] {
        world.server.received.all.filter { $0.isIQ("get", "pubsub", Namespace.pubsub) }
            .compactMap { $0.element[attribute: "to"] }
            .filter { $0.hasSuffix("example.com") }
    }

    private func with(
        _ count: Int, _ subscription: String, _ body: (World) async throws -> Void
    ) async throws {
        let items = (0..<count).map { ServerRosterItem(Self.old($0), subscription: subscription) }
        try await inWorld(before: { await $0.add(.bot, password: "secret", roster: items) }) { world in
            try await world.online()
            try await body(world)
        }
    }

    /// The old addresses are gone, and their server says where to.
    private func gone(_ world: World, to new: String) async {
        await world.server.react { received in
            guard received.isIQ("get", "pubsub", Namespace.pubsub), let id = received.element[attribute: "id"],
                let to = received.element[attribute: "to"], to.hasSuffix("example.com")
            else { return .usual }
            return .send(
                """
                <iq type='error' id='\(id)' from='\(to)'><error type='cancel'><gone \
                xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>\(new)</gone></error></iq>
                """)
        }
    }

    @Test(
        "an old address that is gone, and whose server says where to, is as good as one that says it itself",
        arguments: [("xmpp:new@example.net", true), ("xmpp:else@example.net", false), ("", false)])
    func goneError(uri: String, isVerified: Bool) async throws {
        try await with(1, "from") { world in
            await gone(world, to: uri)
            await world.server.ask(.bot, from: JID(.new), with: [claim(Self.old(0))])
            try await world.until("on the desk") { try await world.pending().count == 1 }
            if isVerified {
                try await world.until("verified") { try await world.pending().first?.move?.state == .verified }
            }
            try await world.quiet()
            #expect(try await world.pending().first?.move?.state == (isVerified ? .verified : .claimed))
            #expect(questions(world) == ["old0@example.com"])
        }
    }

    @Test("who does not see the account is not asked, and such a claim is not kept", arguments: ["to", "none"])
    func notSeen(subscription: String) async throws {
        try await with(1, subscription) { world in
            await world.server.ask(.bot, from: JID(.new), with: [claim(Self.old(0))])
            try await world.until("on the desk") { try await world.pending().count == 1 }
            try await world.quiet()
            #expect(try await world.pending().first?.move == nil && questions(world).isEmpty)
        }
    }

    @Test("the same claim a thousand times, and that of others about the same contact, is one question to it")
    func amplification() async throws {
        try await with(1, "both") { world in
            await gone(world, to: "xmpp:new@example.net")
            for _ in 0..<1_000 { await world.server.ask(.bot, from: JID(.new), with: [claim(Self.old(0))]) }
            try await world.until("verified") { try await world.pending().first?.move?.state == .verifiedBoth }
            try await world.quiet()
            for number in 0..<50 {
                await world.server.ask(.bot, from: JID(.of("x\(number)")), with: [claim(Self.old(0))])
                await world.server.ask(.bot, from: JID(.new), with: [claim(Self.old(0))])
            }
            try await world.quiet()
            #expect(questions(world).count == 1)
            let moved = world.events.all.filter {
                if case .noted(let note) = $0 { note.event == "contact_moved" } else { false }
            }
            #expect(moved.count == 1)
            #expect(try await world.pending().filter { $0.move?.isVerified == true }.map(\.contact) == [.new])
            // What it said does not hold for ever.
            await world.pass(.seconds(601))
            await world.server.ask(.bot, from: JID(.of("x1")), with: [claim(Self.old(0))])
            try await world.quiet()
            #expect(questions(world).count == 2)
        }
    }

    @Test("no more than sixteen are asked at a time")
    func atOnce() async throws {
        try await with(20, "from") { world in
            await world.server.react { received in
                let isToOld = received.element[attribute: "to"]?.hasSuffix("example.com") == true
                return isToOld && received.isIQ("get", "pubsub", Namespace.pubsub) ? .nothing : .usual
            }
            for number in 0..<20 {
                await world.server.ask(.bot, from: JID(.of("new\(number)")), with: [claim(Self.old(number))])
            }
            try await world.until("on the desk") { try await world.pending().count == 20 }
            try await world.quiet()
            #expect(questions(world).count == 16)
        }
    }

    @Test("that a contact is gone or elsewhere is noted once, with the address, and nothing is done (RFC 6121 4.3.2)")
    func elsewhere() async throws {
        try await with(1, "both") { world in
            let error =
                "<error type='cancel'><gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>xmpp:new@example.net</gone></error>"
            let before = world.presences
            for from in ["old0@example.com", "old0@example.com/x", "stranger@example.com"] {
                await world.server.send("<presence type='error' from='\(from)'>\(error)</presence>", to: .bot)
            }
            try await world.quiet()
            let notes = world.events.all.compactMap { event -> [String?]? in
                guard case .noted(let note) = event, note.event == "contact_elsewhere" else { return nil }
                return note.fields.map(\.1)
            }
            #expect(notes == [["old0@example.com", "new@example.net"]])
            #expect(world.presences == before)
        }
    }
}
