import Testing
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// Direct TLS, SASL2 with everything inline, cached keys, and a login that ends behind the binding.
@Suite struct ConnectionModernLoginTests {
    private final class Notes: ConnectionObserver {
        let all = EventRecorder<ConnectionObservation>()
        func observed(_ event: ConnectionObservation, of account: BareJID) { all.record(event) }
    }

    private static let agent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Test")

    @Test("with direct TLS there is no plain stream (XEP-0368)")
    func directTLS() async throws {
        try await withClient(
            settings: { $0.address = .host("xmpp.example.org", port: 5223, isDirectTLS: true) }
        ) { client in
            try await client.established()
            let all = client.server.received.all
            #expect(all.allSatisfy { $0.isSecured })
            #expect(!client.writes.contains { $0.contains("<starttls") })
            let stages = client.events.all.compactMap { if case .progressed(let stage) = $0 { stage } else { nil } }
            #expect(stages == [.connecting, .authenticating, .binding, .online])
        }
    }

    /// Sends what an owner sends at first.
    private static let owner: TestedConnection.Owner = { event, connection in
        guard case .established = event else { return }
        let roster = connection.request(.get, Element("query", namespace: Namespace.roster)) { _ in }
        connection.send([roster].compactMap { $0 })
        connection.send([Element("presence", namespace: Namespace.client)])
    }

    private func rounds(_ client: TestedConnection) -> (afterFeatures: Int, first: String) {
        // Writes of the client behind the header within TLS, up to the one with its first stanzas.
        let secured = client.writes.lastIndex { $0.contains("<stream:stream") } ?? 0
        let first = client.writes.firstIndex { $0.contains(Namespace.roster) } ?? 0
        return (first - secured - 1, client.writes[first])
    }

    @Test("SCRAM with everything inline takes two round trips, and roster and presence leave in one write")
    func twoRoundTrips() async throws {
        try await withClient(
            settings: { $0.userAgent = Self.agent },
            before: { server in
                await server.behave {
                    $0.sasl2 = .init()
                    $0.streamManagement = .init()
                }
            }, owner: Self.owner
        ) { client in
            try await client.established()
            await client.settle()
            let (rounds, first) = rounds(client)
            #expect(rounds == 2)
            #expect(first.contains("<presence"))
            #expect(await client.server.handledStanzas(of: .bot) == 2)
        }
    }

    @Test("a token takes one (XEP-0484)")
    func oneRoundTrip() async throws {
        try await withClient(
            settings: { $0.userAgent = Self.agent },
            before: { server in
                await server.behave {
                    $0.sasl2 = .init()
                    $0.streamManagement = .init()
                }
            }
        ) { client in
            let event = try await client.events.next { if case .established = $0 { true } else { false } }
            guard case .established(let session) = event else { return }
            let token = try #require(session.token)
            let memory = session.login.memory
            let connection = client.connection
            await client.onLoop { connection.stop() }
            _ = await client.end
            let second = try await client.another(
                settings: {
                    $0.userAgent = Self.agent
                    $0.token = token
                    $0.memory = memory
                }, owner: Self.owner)
            let again = try await second.events.next { if case .established = $0 { true } else { false } }
            guard case .established(let login) = again else { return }
            #expect(login.login.usedToken)
            await second.settle()
            #expect(rounds(second).afterFeatures == 1)
            await second.finish()
        }
    }

    @Test("a token that is refused is forgotten, and the password takes its place")
    func refusedToken() async throws {
        try await withClient(
            settings: {
                $0.userAgent = Self.agent
                $0.token = FASTToken(
                    mechanism: "HT-SHA-256-EXPR", token: Secret("gone"), expiry: "2036-01-01T00:00:00Z")
            }, before: { await $0.behave { $0.sasl2 = .init() } }
        ) { client in
            try await client.established()
            let isExpired = client.events.all.contains { if case .tokenExpired = $0 { true } else { false } }
            #expect(isExpired, "\(client.said)")
        }
    }

    @Test(
        "a token that is over is not tried, and the password takes its place",
        arguments: [("2025-12-31T23:59:59Z", false), ("2026-01-01T01:00:00Z", true), ("soon", true), ("", true)])
    func expiredToken(expiry: String, isTried: Bool) async throws {
        try await withClient(
            settings: {
                $0.userAgent = Self.agent
                $0.token = FASTToken(mechanism: "HT-SHA-256-EXPR", token: Secret("gone"), expiry: expiry)
            }, before: { await $0.behave { $0.sasl2 = .init() } }
        ) { client in
            try await client.established()
            let mechanisms = client.server.received.all.compactMap { $0.element[attribute: "mechanism"] }
            #expect(mechanisms.contains { $0.hasPrefix("HT-") } == isTried, "\(mechanisms)")
        }
    }

    @Test("keys are derived once: the next login takes them from the cache, in the same turn")
    func cachedKeys() async throws {
        try await withClient { client in
            try await client.established()
            let keys = SCRAMKeyCache()
            for login in 0..<3 {
                let next = try await client.another(settings: { $0.keys = keys })
                try await next.established()
                #expect(keys.count == 1, "after login \(login)")
                await next.finish()
            }
        }
    }

    @Test("keys that a server refused are dropped, so that a changed password is not met by old ones")
    func refusedKeys() async throws {
        let keys = SCRAMKeyCache()
        try await withClient(settings: { $0.keys = keys }) { client in
            try await client.established()
            #expect(keys.count == 1)
            await client.server.refuseLogins(of: .bot, with: "not-authorized")
            let next = try await client.another(settings: { $0.keys = keys })
            _ = await next.end
            #expect(keys.count == 0)
            await next.finish()
        }
    }

    @Test("the cache is bounded, and holds no password")
    func bound() async throws {
        let keys = SCRAMKeyCache(bound: 4)
        try await withClient { client in
            for number in 0..<10 {
                let jid = try BareJID("bot\(number)@example.org")
                await client.server.add(jid, password: "secret")
                let next = try await client.another(settings: {
                    $0.keys = keys
                    $0.account = jid
                })
                try await next.established()
                #expect(keys.count <= 4)
                await next.finish()
            }
        }
    }

    @Test("a login for a look ends behind the binding: no presence, no stream management, no session left")
    func endsAfterBinding() async throws {
        let notes = Notes()
        try await withClient(
            settings: {
                $0.endsAfterBinding = true
                $0.observer = notes
            }, before: { await $0.behave { $0.streamManagement = .init() } }
        ) { client in
            let end = await client.end
            guard case .stopped = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(end.resumable == nil)
            #expect(!client.writes.contains { $0.contains("<presence") || $0.contains("<enable") })
            #expect(client.writes.last == "</stream:stream>")
            let kinds = notes.all.all.map(\.kind)
            #expect(kinds.first == .connecting)
            #expect(kinds.contains(.secured))
            #expect(kinds.contains(.negotiated))
            #expect(kinds.suffix(2) == [.established, .ended])
        }
    }

    @Test("an observer sees stream management, signs of life, dropped stanzas and a resumption, each in words")
    func observed() async throws {
        let notes = Notes()
        try await withClient(
            settings: { $0.observer = notes },
            before: { await $0.behave { $0.streamManagement = .init() } }
        ) { client in
            try await client.established()
            await client.settle()
            let deep = String(repeating: "<a xmlns='urn:x'>", count: 70) + String(repeating: "</a>", count: 70)
            await client.server.send("<message from='a@example.net'>\(deep)</message>", to: .bot)
            await client.server.send("<a xmlns='urn:xmpp:sm:3' h='none'/>", to: .bot)
            await client.settle()
            await client.pass(.seconds(300))
            await client.server.dropLink(of: .bot)
            let resumable = await client.end.resumable
            let second = try await client.another(settings: {
                $0.resumption = resumable
                $0.observer = notes
            })
            _ = try await second.events.next { if case .resumed = $0 { true } else { false } }
            await second.finish()
            let kinds = Set(notes.all.all.map(\.kind))
            let expected: [ConnectionObservation.Kind] = [
                .managed, .discarded, .acknowledgementIgnored, .asked, .resumed, .ended,
            ]
            for kind in expected { #expect(kinds.contains(kind), "\(kind)") }
            #expect(notes.all.all.allSatisfy { !$0.description.isEmpty })
        }
    }
}
