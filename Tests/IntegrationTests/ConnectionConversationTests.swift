import Testing
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// The same conversations with the scripted server, Prosody and ejabberd, over real sockets and TLS.
@Suite(.serialized) struct ConnectionConversationTests {
    private static let roster = Element("query", namespace: Namespace.roster)
    private static let ping = Element("ping", namespace: Namespace.ping)

    // MARK: Logins

    @Test("a login gets as far as both sides know how to, and the session works", arguments: Venue.all)
    func login(venue: Venue) async throws {
        try await at(venue) { place in
            let talker = try await Talker(place)
            let session = try await talker.established()
            #expect(session.jid.bare == place.account)
            #expect(session.login.mechanism == venue.mechanism)
            #expect(session.login.usedSASL2 == venue.usesSASL2)
            let secured = try await talker.seen.next { $0.kind == .secured }
            guard case .secured(let tls) = secured.detail else { return }
            #expect(tls.version == venue.tls)
            guard case .result(let roster) = await talker.request(Self.roster) else {
                Issue.record("no roster")
                return
            }
            #expect(roster?.elements.isEmpty == true)
            guard case .result = await talker.request(Self.ping, to: JID(place.account.server)) else {
                Issue.record("no answer to a ping")
                return
            }
            guard case .stopped = await talker.stop().cause else {
                Issue.record("the stream was not closed in order")
                return
            }
        }
    }

    @Test("a wrong password is told as that, and not tried again", arguments: Venue.all)
    func wrongPassword(venue: Venue) async throws {
        try await at(venue) { place in
            let talker = try await Talker(place, password: "hunter-two")
            let end = await talker.end
            guard case .session(let error) = end.cause else {
                Issue.record("\(end)")
                return
            }
            #expect(error.code == .authenticationFailed)
            #expect(error.condition == "not-authorized")
            #expect(error.retry == .park)
            #expect(end.resumable == nil)
        }
    }

    @Test(
        "the second login is by token, where there are tokens", arguments: Venue.all.filter { $0.tokenMechanism != nil }
    )
    func token(venue: Venue) async throws {
        try await at(venue) { place in
            let first = try await Talker(place)
            let token = try #require(try await first.established().token)
            #expect(token.mechanism == venue.tokenMechanism)
            await first.stop()
            let second = try await Talker(place, password: "not needed") { $0.token = token }
            let session = try await second.established()
            #expect(session.login.usedToken)
            #expect(session.login.mechanism == venue.tokenMechanism)
            await second.stop()
            // A token that is none falls back to the password, on the same stream.
            var broken = token
            broken.token = Secret("secret-token:no")
            let third = try await Talker(place) { $0.token = broken }
            let fallback = try await third.established()
            #expect(!fallback.login.usedToken)
            try await third.next { event -> Void? in if case .tokenExpired = event { () } else { nil } }
            await third.stop()
        }
    }

    @Test("a second login with the same resource ends the first", arguments: Venue.some)
    func conflict(venue: Venue) async throws {
        try await at(venue) { place in
            let first = try await Talker(place)
            _ = try await first.established()
            let second = try await Talker(place)
            _ = try await second.established()
            let end = await first.end
            guard case .session(let error) = end.cause else {
                Issue.record("\(end)")
                return
            }
            #expect(error.condition == "conflict")
            #expect(end.resumable == nil)
            await second.stop()
        }
    }

    // MARK: Sessions that go on

    @Test("a session goes on behind a broken link, with what came in between", arguments: Venue.some)
    func resumption(venue: Venue) async throws {
        try await at(venue) { place in
            let talker = try await Talker(place)
            let session = try await talker.established()
            try await talker.managed()
            await talker.send(Presence(.available).element)
            _ = await talker.request(Self.roster)
            place.relay.cut()
            let end = await talker.end
            let resumable = try #require(end.resumable)
            try await say("while-away", to: session.jid, place)
            let again = try await Talker(place) { $0.resumption = resumable }
            _ = try await again.resumed()
            try await again.message(id: "while-away")
            guard case .result = await again.request(Self.ping, to: JID(place.account.server)) else {
                Issue.record("no answer to a ping")
                return
            }
            await again.stop()
        }
    }

    @Test("a session goes on behind a killed process, by its counts alone", arguments: Venue.some)
    func kill(venue: Venue) async throws {
        try await at(venue) { place in
            let talker = try await Talker(place)
            let session = try await talker.established()
            try await talker.managed()
            await talker.send(Presence(.available).element)
            _ = await talker.request(Self.roster)
            // What was on disk when it was killed: a stanza more was sent than that, and none of their bytes are known.
            var saved = try #require(await talker.resumable)
            (saved.unacknowledged, saved.mayHaveSentMore) = ([], true)
            _ = await talker.request(Self.ping, to: JID(place.account.server))
            saved.inbound = try #require(await talker.resumable).inbound
            place.relay.cut()
            _ = await talker.end
            try await say("while-dead", to: session.jid, place)
            let again = try await Talker(place) { $0.resumption = saved }
            let resumed = try await again.resumed()
            #expect(resumed.handled == saved.outbound &+ 1)
            try await again.message(id: "while-dead")
            await again.stop()
        }
    }

    @Test("a process that is stopped to come again leaves its session behind", arguments: Venue.some)
    func drop(venue: Venue) async throws {
        try await at(venue) { place in
            let talker = try await Talker(place)
            _ = try await talker.established()
            try await talker.managed()
            _ = await talker.request(Self.roster)
            let resumable = try #require(await talker.drop().resumable)
            let again = try await Talker(place) { $0.resumption = resumable }
            _ = try await again.resumed()
            await again.stop()
        }
    }

    @Test("where the session of before is gone a new one begins, on the same stream", arguments: Venue.some)
    func failedResumption(venue: Venue) async throws {
        try await at(venue) { place in
            let gone = ResumableSession(
                jid: try JID("\(place.account)/talker"), id: "gone", inbound: 1, outbound: 1, acknowledged: 0,
                features: Element("features", namespace: Namespace.streams))
            let talker = try await Talker(place) { $0.resumption = gone }
            let session = try await talker.established()
            #expect(session.failedResumption != nil)
            guard case .result = await talker.request(Self.roster) else {
                Issue.record("no roster")
                return
            }
            await talker.stop()
        }
    }

    /// Somebody else sends a message.
    private func say(_ id: String, to recipient: JID, _ place: Place) async throws {
        let name = "friend-\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
        try await place.addUser(name, "secret")
        let friend = try await Talker(place, account: try BareJID("\(name)@\(place.account.domain)")) {
            $0.userAgent?.id = "12345678-4d72-4749-b3d3-740edbf87770"
        }
        _ = try await friend.established()
        var message = Element("message", namespace: Namespace.client)
        message[attribute: "to"] = recipient.description
        message[attribute: "id"] = id
        message[attribute: "type"] = "chat"
        message.children = [.element(Element("body", namespace: Namespace.client, children: [.text("hello")]))]
        await friend.send(message)
        // Its answer says that the server has taken the message.
        _ = await friend.request(Self.ping, to: JID(place.account.server))
        await friend.stop()
    }
}
