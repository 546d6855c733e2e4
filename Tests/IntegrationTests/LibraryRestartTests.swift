import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// The library's client, with what is public alone, over a restart of its process.
@Suite(.serialized) struct LibraryRestartTests {
    private final class Watcher: ConnectionObserver {
        let seen = EventRecorder<ConnectionObservation>()
        func observed(_ event: ConnectionObservation, of account: BareJID) { seen.record(event) }
    }

    private func client(_ place: Place, _ watcher: Watcher, _ memory: Client.Memory?) throws -> Client {
        var options = Client.Options()
        options.server = .init(
            host: "127.0.0.1", port: place.relay.port, usesDirectTLS: place.venue.door == .direct)
        options.authorities = place.caFile
        options.resource = "library"
        options.observer = watcher
        options.memory = memory
        return try Client(account: place.account, password: "secret", options: options)
    }

    @Test("a session goes on in the next process, and what came meanwhile is there", arguments: Venue.some)
    func restart(venue: Venue) async throws {
        try await at(venue) { place in
            let friend = try BareJID(
                "friend-of-\(place.account)".replacing("@", with: ".at.") + "@\(place.account.domain)")
            try await place.addUser(try #require(friend.local), "secret")
            let watcher = Watcher()
            let first = try client(place, watcher, nil)
            let running = Task { try await first.run() }
            _ = try await watcher.seen.next { $0.kind == .managed }
            // Behind its answer, presence was handled as well.
            _ = try await first.request(
                .get, to: JID(place.account.server), Element("ping", namespace: "urn:xmpp:ping"))
            await first.stop(resumable: true)
            try await running.value
            let stored = try JSONEncoder().encode(await first.memory)

            let talker = try await Talker(place, account: friend)
            _ = try await talker.established()
            await talker.send(Message(to: JID(place.account), body: "meanwhile").element)
            _ = await talker.request(Element("ping", namespace: "urn:xmpp:ping"), to: JID(place.account.server))

            let next = Watcher()
            let memory = try JSONDecoder().decode(Client.Memory.self, from: stored)
            #expect(memory.hasToken == (venue.tokenMechanism != nil))
            let second = try client(place, next, memory)
            let going = Task { try await second.run() }
            let session = try await next.seen.next { $0.session != nil }
            #expect(session.session?.isResumed == true)
            #expect(session.boundAddress == memory.sessionAddress)
            for await message in second.messages {
                #expect(message.body == "meanwhile")
                break
            }
            await second.stop()
            try await going.value
            #expect(await second.memory.sessionAddress == nil)
            await talker.stop()
        }
    }
}
