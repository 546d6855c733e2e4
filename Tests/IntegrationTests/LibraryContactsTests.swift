import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// The library's contacts, with what is public alone, between two accounts of a real server.
@Suite(.serialized) struct LibraryContactsTests {
    /// A client with its modules, and what they told.
    private struct Person {
        let client: Client
        let words: EventRecorder<String>
        let running: Task<Void, any Error>

        init(_ place: Place, _ account: BareJID, kept: Roster = Roster(), version: String? = nil) throws {
            let words = EventRecorder<String>()
            var options = Client.Options()
            options.server = .init(
                host: "127.0.0.1", port: place.relay.port, usesDirectTLS: place.venue.door == .direct)
            options.authorities = place.caFile
            options.modules = {
                let roster = RosterModule(account: account, cached: kept, version: version) { event in
                    switch event {
                    case .ended(.whole): words.record("whole")
                    case .ended(.unchanged): words.record("unchanged")
                    case .ended(.failed(let error)): words.record("failed \(error)")
                    case .changed(.set(let item), _, _): words.record("item \(item.subscription.rawValue)")
                    case .changed(.remove, _, _): words.record("removed")
                    case .began, .item, .refused, .left: break
                    }
                }
                let presence = PresenceModule(account: account, roster: roster) { event in
                    switch event {
                    case .available(let jid, _, true): words.record("available \(jid.bare)")
                    case .unavailable(let jid): words.record("gone \(jid.bare)")
                    case .gone(let contact): words.record("gone \(contact)")
                    case .available, .moved, .cleared: break
                    }
                }
                let subscriptions = SubscriptionModule(roster: roster) { event in
                    switch event {
                    case .requested: words.record("requested")
                    case .unsubscribed: words.record("unsubscribed")
                    case .approved: words.record("approved")
                    case .denied: words.record("denied")
                    case .cancelled: words.record("cancelled")
                    case .repeated(_, let stanza): words.record("repeated \(stanza)")
                    case .failed: words.record("failed")
                    }
                }
                return [roster, subscriptions, presence, ContactList(roster: roster, presence: presence)]
            }
            client = try Client(account: account, password: "secret", options: options)
            self.words = words
            let client = client
            running = Task { try await client.run() }
        }

        func heard(_ word: String) async throws { _ = try await words.next { $0 == word } }

        func say(_ type: PresenceType, _ contact: BareJID) async throws {
            try await client.send(Presence(type, to: JID(contact)))
        }

        /// All that was on its way has arrived.
        func settle() async throws {
            _ = try await client.request(
                .get, to: JID(client.account.server), Element("ping", namespace: "urn:xmpp:ping"))
        }

        func item(_ contact: BareJID) async -> RosterItem? {
            await client.withModule(RosterModule.self) { $0.items[contact] } ?? nil
        }

        func stop() async throws {
            await client.stop()
            try await running.value
        }
    }

    private static let venues = Venue.some.filter(\.isReal)

    @Test(
        "a contact is added, refuses, is asked again, agrees, and takes it back: each is told as what it is",
        arguments: venues)
    func conversation(venue: Venue) async throws {
        try await at(venue) { place in
            let friend = try BareJID("contact-\(place.account.local ?? "")@\(place.account.domain)")
            try await place.addUser(try #require(friend.local), "secret")
            let (me, other) = (try Person(place, place.account), try Person(place, friend))
            try await me.heard("whole")
            try await other.heard("whole")
            try await other.settle()

            try await me.client.changeRoster { $0.add(friend, name: "Friend", groups: ["A", "B"], reply: $1) }
            try await other.heard("requested")
            try await other.say(.unsubscribed, place.account)
            try await me.heard("denied")
            try await me.settle()
            #expect(await me.item(friend)?.asked == false)

            let error: RosterError? =
                await me.client.withModule(RosterModule.self) { roster in
                    do throws(RosterError) { try roster.ask(friend) } catch { return error }
                    return nil
                } ?? nil
            #expect(error == nil)
            try await other.heard("requested")
            try await other.say(.subscribed, place.account)
            try await me.heard("approved")
            try await me.heard("available \(friend)")
            try await me.settle()
            let item = await me.item(friend)
            #expect(item?.subscription == .to && item?.name == "Friend" && Set(item?.groups ?? []) == ["A", "B"])
            let view = await me.client.withModule(ContactList.self) { $0.view }
            #expect(view?.first?.show == .online && view?.search("frie").count == 1)

            try await me.client.changeRoster { $0.rename(friend, to: "Friend of mine", reply: $1) }
            try await me.client.changeRoster { $0.remove(friend, fromGroup: "A", reply: $1) }
            try await me.settle()
            let changed = await me.item(friend)
            #expect(changed?.name == "Friend of mine" && changed?.groups == ["B"] && changed?.subscription == .to)

            try await other.say(.unsubscribed, place.account)
            try await me.heard("cancelled")
            try await me.heard("gone \(friend)")
            try await me.settle()
            #expect(await me.item(friend)?.subscription == RosterItem.Subscription.none)
            #expect(!me.words.all.contains { $0.hasPrefix("repeated") || $0.hasPrefix("failed") })

            try await me.client.changeRoster { $0.remove(friend, reply: $1) }
            try await me.heard("removed")
            try await me.stop()
            try await other.stop()
        }
    }

    @Test("who is at no server is reported, and the request for it taken back (B021)", arguments: venues)
    func unreachable(venue: Venue) async throws {
        try await at(venue) { place in
            let nobody = try BareJID("nobody@nowhere.invalid")
            let me = try Person(place, place.account)
            try await me.heard("whole")
            try await me.client.changeRoster { $0.add(nobody, name: "Nobody", reply: $1) }
            try await me.heard("failed")
            try await me.settle()
            let item = await me.item(nobody)
            #expect(item?.name == "Nobody" && item?.asked == false)
            #expect(!me.words.all.contains { ["denied", "cancelled", "approved"].contains($0) })
            try await me.stop()
        }
    }

    @Test(
        "what was kept with its version is confirmed at the next login, and what changed since then comes",
        arguments: venues)
    func versions(venue: Venue) async throws {
        try await at(venue) { place in
            let contact = try BareJID("somebody@\(place.account.domain)")
            let first = try Person(place, place.account)
            try await first.heard("whole")
            try await first.client.changeRoster { $0.add(contact, name: "Some", asks: false, reply: $1) }
            try await first.settle()
            let kept = await first.client.withModule(RosterModule.self) { ($0.items, $0.version) }
            let (items, version) = try #require(kept)
            #expect(items[contact]?.name == "Some" && version != nil)
            try await first.stop()

            let second = try Person(place, place.account, kept: items, version: version)
            try await second.heard("unchanged")
            #expect(await second.item(contact)?.name == "Some")
            try await second.client.changeRoster { $0.rename(contact, to: "Body", reply: $1) }
            try await second.settle()
            try await second.stop()

            // This one has not seen that.
            let third = try Person(place, place.account, kept: items, version: version)
            _ = try await third.words.next { $0 == "whole" || $0.hasPrefix("item") }
            try await third.settle()
            #expect(await third.item(contact)?.name == "Body")
            let loaded = await third.client.withModule(RosterModule.self) { $0.items } ?? Roster()
            #expect(RosterComparison(from: items, to: loaded).renamed.map(\.jid) == [contact])
            try await third.stop()
        }
    }
}
