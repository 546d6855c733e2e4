import Testing
import XMPPCore
import XMPPModules

/// What is said in a room, and whether the account is still in.
@Suite struct RoomMessageTests {
    @Test("what is said has its sender, and what the account said itself and what was said before are told apart")
    func messages() throws {
        let bench = RoomBench()
        _ = bench.enter()
        _ = try bench.presence("Ann", item: "affiliation='owner' role='moderator' jid='ann@example.org/phone'")
        _ = try bench.presence("Bot", codes: [110])
        let old = try #require(RoomBench.said(bench.message("Gone", "<body>once</body>")))
        #expect(old.isHistory && old.sender == nil && old.nickname == "Gone")
        #expect(
            RoomBench.reports(try bench.message("Ann", "<subject>Things</subject>")) == [.subject("Things", by: "Ann")])
        let sid = "<stanza-id xmlns='urn:xmpp:sid:0'"
        let new = try #require(
            RoomBench.said(
                bench.message(
                    "Ann",
                    "<body>hi</body>\(sid) by='eve@example.net' id='forged'/>\(sid) by='den@rooms.example.org' id='7'/>"
                )))
        #expect(!new.isHistory && !new.isOwn && new.stanzaID == "7" && new.sender?.address?.bare == .ann)
        #expect(RoomBench.said(try bench.message("Bot", "<body>me</body>"))?.isOwn == true)
        #expect(RoomBench.said(try bench.message("Ann", "<body>psst</body>", type: "chat"))?.isPrivate == true)
        #expect(RoomBench.said(try bench.message("Bot", "<body>psst</body>", type: "chat"))?.isOwn == false)
        // A subject beside a body is none (XEP-0045 section 8.1); the room's own words have no nickname.
        #expect(RoomBench.reports(try bench.message("Ann", "<subject>x</subject><body>y</body>")).count == 1)
        #expect(bench.room.subject == "Things")
        #expect(RoomBench.said(try bench.message(nil, "<body>I am the room</body>"))?.nickname == nil)
        #expect(RoomBench.reports(try bench.message(nil, "<subject/>")) == [.subject(nil, by: nil)])
        for type in ["headline", "normal"] { #expect(try bench.message(nil, "<body>x</body>", type: type).isEmpty) }
    }

    @Test("by a stable id a name that changed hands is not taken for the one before")
    func stableSenders() throws {
        let bench = RoomBench()
        try bench.entered()
        func id(_ id: String) -> String { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>" }
        let stanza = try xml(
            "<presence from='den@rooms.example.org/Eve'>\(id("e"))<x \(RoomBench.user)><item role='participant'/></x></presence>"
        )
        _ = bench.room.received(try #require(Presence(stanza)))
        let same = try #require(RoomBench.said(bench.message("Eve", "<body>x</body>\(id("e"))"))?.sender)
        let other = try #require(RoomBench.said(bench.message("Eve", "<body>x</body>\(id("f"))"))?.sender)
        #expect(same.role == .participant && other.role == .none && other.id == "f")
        #expect(!same.isSame(as: other) && same.isSame(as: RoomOccupant("Else", id: "e")))
        #expect(!RoomOccupant("Eve").isSame(as: RoomOccupant("Eve")))
    }

    @Test("a message that is refused since the account is not in leads back in")
    func notIn() throws {
        let bench = RoomBench()
        try bench.entered()
        let error = "<error type='cancel'><not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
        let actions = try bench.message(nil, error, type: "error")
        guard case .refused(id: "m", _) = RoomBench.reports(actions).first else { throw RoomBench.Missing() }
        #expect(bench.room.state == .entering)
        try bench.entered()
        let forbidden = "<error type='auth'><forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
        #expect(
            RoomBench.reports(try bench.message(nil, forbidden, type: "error")).count == 1
                && bench.room.state == .inside)
    }

    @Test("a room that says nothing is asked whether we are in; only an answer that says no leads back in (XEP-0410)")
    func ghosts() throws {
        let bench = RoomBench()
        try bench.entered()
        let own = try #require(bench.room.ownAddress)
        #expect(bench.timePassed() == [.ping(own), .wait(Room.silence)])
        #expect(bench.resumed() == [.ping(own)])
        let inside: [StanzaError.Condition?] = [
            nil, .serviceUnavailable, .featureNotImplemented, .itemNotFound, .remoteServerTimeout,
            .remoteServerNotFound,
        ]
        for condition in inside { #expect(bench.pingAnswered(condition).isEmpty) }
        #expect(bench.room.state == .inside)
        guard case .send? = bench.pingAnswered(.notAcceptable).first else { throw RoomBench.Missing() }
        #expect(bench.room.state == .entering)
        // No answer to entering either: a pause.
        #expect(bench.timePassed().last == .wait(Room.pauses[0]))
    }

    @Test("who leaves is out, hears nothing more, and comes in again when it is wanted")
    func leaving() throws {
        let bench = RoomBench()
        try bench.entered()
        let actions = bench.leave()
        guard case .send(let presence) = actions.first else { throw RoomBench.Missing() }
        #expect(presence[attribute: "type"] == "unavailable" && RoomBench.end(actions)?.code == .left)
        #expect(try bench.presence("Bot", "unavailable", codes: [110]).isEmpty)
        #expect(try bench.message("Ann", "<body>x</body>").isEmpty)
        #expect(bench.leave() == [.waitNoLonger])
        guard case .send = bench.enter().first else { throw RoomBench.Missing() }
    }

}
