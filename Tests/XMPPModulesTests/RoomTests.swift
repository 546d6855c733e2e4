import Testing
import XMPPCore
import XMPPModules

/// The machine of one room.
@Suite struct RoomTests {
    @Test("it goes in without asking for what was said before, and is in once the room shows it among the others")
    func entering() throws {
        let bench = RoomBench()
        let actions = bench.enter()
        guard case .send(let presence) = actions.first else { throw RoomBench.Missing() }
        #expect(presence[attribute: "to"] == "den@rooms.example.org/Bot")
        let x = try #require(presence.first("x", Namespace.muc))
        #expect(x.first("history", Namespace.muc)?[attribute: "maxstanzas"] == "0")
        #expect(actions.last == .wait(Room.entryWait))
        #expect(RoomBench.reports(try bench.presence("Ann")).count == 1 && bench.room.state == .entering)
        #expect(
            RoomBench.reports(try bench.presence("Bot", codes: [110, 201])).last
                == .entered(nickname: "Bot", isNew: true))
        #expect(bench.room.state == .inside && bench.room.occupants.count == 2)
        // Nothing of it is a contact's.
        let stanza = try xml("<presence from='den@rooms.example.org/Ann'><x \(RoomBench.user)/></presence>")
        #expect(try #require(Presence(stanza)).isOfRoom)
        #expect(try !#require(Presence(xml("<presence from='ann@example.org/x'/>"))).isOfRoom)
    }

    @Test("a name that is somebody's gives way to another, a few times; the room may choose one too")
    func conflict() throws {
        let bench = RoomBench()
        _ = bench.enter()
        for count in 1..<Room.nicknameAttempts {
            let actions = try bench.error("conflict")
            guard case .send(let presence) = actions.first else { throw RoomBench.Missing() }
            #expect(presence[attribute: "to"] == "den@rooms.example.org/Bot" + String(repeating: "_", count: count))
        }
        #expect(RoomBench.end(try bench.error("conflict"))?.code == .nickname)
        #expect(bench.room.state == .outside)
        _ = bench.enter()
        #expect(bench.room.nickname == "Bot")
        _ = try bench.presence("Chosen", codes: [110, 210])
        #expect(bench.room.nickname == "Chosen" && bench.room.state == .inside)
        #expect(Room(RoomSettings(.room, nickname: "")).ownAddress == nil)
        var nameless = Room(RoomSettings(.room, nickname: String(repeating: "x", count: 2_000)))
        let actions = nameless.enter()
        #expect(RoomBench.end(actions)?.code == .nickname)
    }

    @Test(
        "what a room refuses for good ends it; what passes is tried again after longer and longer pauses",
        arguments: [
            ("forbidden", RoomEnd.Code.banned, false), ("registration-required", .membersOnly, false),
            ("not-authorized", .password, false), ("item-not-found", .notFound, false),
            ("not-allowed", .notFound, false),
            ("gone", .destroyed, false), ("not-acceptable", .refused, false),
            ("service-unavailable", .unreachable, true),
            ("remote-server-timeout", .unreachable, true), ("remote-server-not-found", .unreachable, true),
            ("resource-constraint", .unreachable, true),
        ])
    func refusals(condition: String, code: RoomEnd.Code, returns: Bool) throws {
        let bench = RoomBench()
        _ = bench.enter()
        let actions = try bench.error(condition)
        #expect(RoomBench.end(actions)?.code == code && RoomBench.end(actions)?.returns == returns)
        #expect(bench.room.state == (returns ? .paused : .outside))
        guard returns else { return #expect(actions.last == .waitNoLonger && bench.timePassed().isEmpty) }
        for pause in Room.pauses.dropFirst() + [.seconds(900)] {
            guard case .send = bench.timePassed().first else { throw RoomBench.Missing() }
            #expect(try bench.error(condition).last == .wait(pause))
        }
        _ = bench.timePassed()
        _ = try bench.presence("Bot", codes: [110])
        #expect(try bench.presence("Bot", "unavailable", codes: [110, 332]).last == .wait(Room.pauses[0]))
    }

    @Test(
        "why it is out is told, and whether it comes back",
        arguments: [
            ([110, 301], "", RoomEnd.Code.banned, false), ([110, 307], "", .kicked, false),
            ([110, 321], "", .membersOnly, false), ([110, 322], "", .membersOnly, false),
            ([110, 332], "", .unreachable, true), ([110, 307, 333], "", .unreachable, true),
            ([110], "<destroy jid='new@rooms.example.org'/>", .destroyed, false), ([110], "", .unreachable, true),
            // A server of old without 110: by the name.
            ([307], "", .kicked, false),
        ])
    func ends(codes: [Int], inner: String, code: RoomEnd.Code, returns: Bool) throws {
        let bench = RoomBench()
        try bench.entered()
        let actions = try bench.presence("Bot", "unavailable", inner, codes: codes)
        #expect(RoomBench.end(actions)?.code == code && RoomBench.end(actions)?.returns == returns)
        #expect(bench.room.occupants.isEmpty && bench.room.subject == nil)
        if code == .destroyed { #expect(RoomBench.end(actions)?.text == "new@rooms.example.org") }
    }

    @Test("who comes, goes and takes another name is known, the account among them")
    func occupants() throws {
        let bench = RoomBench()
        try bench.entered()
        let ann = try #require(bench.room.occupants[.of(.room, "Ann")])
        #expect(
            ann.role == .moderator && ann.affiliation == .owner && ann.address?.description == "ann@example.org/phone")
        #expect(RoomBench.reports(try bench.presence("Ann", "unavailable")) == [.gone(ann)])
        let renamed = try bench.presence("Bot", "unavailable", codes: [110, 303], item: "nick='Robot'")
        #expect(RoomBench.reports(renamed) == [.renamed(from: "Bot", to: "Robot")])
        #expect(bench.room.state == .inside && bench.room.nickname == "Robot")
        // A name that is refused later leaves the old one.
        #expect(RoomBench.reports(try bench.error("conflict")).count == 1 && bench.room.state == .inside)
        // A presence of another room, and of the room itself, says nothing.
        let other = try xml("<presence from='other@rooms.example.org/Ann'/>")
        let presence = try #require(Presence(other))
        let nothing = bench.room.received(presence)
        #expect(nothing.isEmpty)
        #expect(try bench.presence(nil).isEmpty)
    }

    @Test("more occupants than the bound are counted and not kept; the account always is")
    func crowd() throws {
        let bench = RoomBench()
        _ = bench.enter()
        for number in 0..<Room.occupantLimit + 5 { _ = try bench.presence("u\(number)") }
        _ = try bench.presence("Bot", codes: [110])
        #expect(bench.room.occupants.count == Room.occupantLimit + 1 && bench.room.uncounted == 5)
        #expect(bench.room.state == .inside)
    }
}
