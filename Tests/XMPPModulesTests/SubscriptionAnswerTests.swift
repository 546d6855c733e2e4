import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// What a program answers to those who ask, with a server behind it.
@Suite struct SubscriptionAnswerTests {
    private func makeLiving(_ roster: [ServerRosterItem] = []) async throws -> LivingModules {
        let living = try await LivingModules(roster: roster) {
            let roster = RosterModule(account: .bot) { _ in }
            return [roster, SubscriptionModule(roster: roster) { _ in }]
        }
        try await living.available()
        return living
    }

    private func code(
        _ living: LivingModules, _ body: (Client) async throws(RosterError) -> Void
    ) async throws -> RosterError.Code? {
        do throws(RosterError) {
            try await body(living.client)
        } catch {
            return error.code
        }
        try await living.server.barrier(.bot)
        return nil
    }

    /// The presences about subscriptions, in their order.
    private func said(_ living: LivingModules) -> [String] {
        living.sent.filter { $0.matches("presence", Namespace.client) && $0[attribute: "to"] != nil }
            .map { "\($0[attribute: "type"] ?? "") \($0[attribute: "to"] ?? "")" }
    }

    @Test("a request is accepted once, with and without asking back")
    func accepted() async throws {
        let living = try await makeLiving()
        await living.server.ask(.bot, from: BareJID.new.at("phone"), "hello")
        await living.server.ask(.bot, from: JID(.of("quiet")))
        try await living.server.barrier(.bot)
        #expect(
            try await code(living) { client throws(RosterError) in
                try await client.acceptRequest(of: .new, asksBack: true)
            } == nil)
        #expect(
            try await code(living) { client throws(RosterError) in try await client.acceptRequest(of: .new) }
                == .notAsked)
        #expect(
            try await code(living) { client throws(RosterError) in try await client.acceptRequest(of: .of("quiet")) }
                == nil)
        #expect(await living.client.pendingRequests.isEmpty)
        #expect(
            said(living) == [
                "subscribed new@example.net", "subscribe new@example.net", "subscribed quiet@example.org",
            ])
        // Each has an id, so that an error to it can be told from others.
        #expect(
            living.sent.allSatisfy { $0.name != "presence" || $0[attribute: "to"] == nil || $0[attribute: "id"] != nil }
        )
        try await living.finish()
    }

    @Test(
        "without a request of this session nothing is accepted or refused: it would be an approval ahead (RFC 6121 3.4)"
    )
    func unasked() async throws {
        let living = try await makeLiving([ServerRosterItem(.ally, subscription: "both")])
        for contact in [BareJID.new, .ally, .bot] {
            #expect(
                try await code(living) { client throws(RosterError) in
                    try await client.acceptRequest(of: contact, asksBack: true)
                } == .notAsked)
            #expect(
                try await code(living) { client throws(RosterError) in try await client.rejectRequest(of: contact) }
                    == .notAsked)
        }
        // Taken back.
        await living.server.ask(.bot, from: JID(.new))
        await living.server.send("<presence type='unsubscribe' from='new@example.net'/>", to: .bot)
        try await living.server.barrier(.bot)
        #expect(
            try await code(living) { client throws(RosterError) in try await client.acceptRequest(of: .new) }
                == .notAsked)
        #expect(said(living).isEmpty)
        try await living.finish()
    }

    @Test("a refused request is over, and the next one of the contact is another")
    func rejected() async throws {
        let living = try await makeLiving()
        for _ in 0..<2 {
            await living.server.ask(.bot, from: JID(.new))
            try await living.server.barrier(.bot)
            #expect(
                try await code(living) { client throws(RosterError) in try await client.rejectRequest(of: .new) } == nil
            )
            #expect(
                try await code(living) { client throws(RosterError) in try await client.acceptRequest(of: .new) }
                    == .notAsked)
        }
        #expect(said(living) == ["unsubscribed new@example.net", "unsubscribed new@example.net"])
        try await living.finish()
    }

    @Test("whoever sees the account is shut out again, and nobody else")
    func revoked() async throws {
        let living = try await makeLiving([
            ServerRosterItem(.ally, subscription: "both", name: "Ally"),
            ServerRosterItem(.of("seen"), subscription: "to"),
        ])
        #expect(
            try await code(living) { client throws(RosterError) in try await client.revokePresence(from: .ally) } == nil
        )
        #expect(
            try await code(living) { client throws(RosterError) in try await client.revokePresence(from: .of("seen")) }
                == .notSeeing)
        #expect(
            try await code(living) { client throws(RosterError) in try await client.revokePresence(from: .new) }
                == .notSeeing)
        #expect(said(living) == ["unsubscribed ally@example.org"])
        let item = await living.client.withModule(RosterModule.self) { $0.items[.ally] } ?? nil
        #expect(item?.subscription == .to && item?.name == "Ally")
        try await living.finish()
    }

    @Test("what a session brought is not accepted in the next one, before it is delivered again")
    func nextSession() async throws {
        let living = try await makeLiving()
        await living.server.ask(.bot, from: JID(.new))
        try await living.server.barrier(.bot)
        await living.client.stop()
        try await living.running.value
        #expect(
            try await code(living) { client throws(RosterError) in try await client.acceptRequest(of: .new) }
                == .notAsked)
        #expect(said(living).isEmpty)
        living.server.stop()
    }

    @Test("without a session, or the module, it says so")
    func offline() async throws {
        let client = try Client(account: .bot, password: "secret")
        for attempt in 0..<3 {
            let error = await #expect(throws: RosterError.self) {
                switch attempt {
                case 0: try await client.acceptRequest(of: .new)
                case 1: try await client.rejectRequest(of: .new)
                case _: try await client.revokePresence(from: .new)
                }
            }
            #expect(error?.code == .offline && error?.contact == .new)
        }
        #expect(await client.pendingRequests.isEmpty)
    }
}
