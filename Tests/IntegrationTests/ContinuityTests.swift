import Testing

@Suite("Sessions that outlive their process", .serialized)
struct ContinuityTests {
    /// Servers with stream management, of RFC 6120's login and of SASL2's.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case prosody, ejabberd, modern

        var kind: ServerKind { self == .ejabberd ? .ejabberd : .prosody }
        var host: String { self == .modern ? Hosts.modern : Hosts.streams }
        var testDescription: String { rawValue }
    }

    /// How the process ends.
    enum Ending: String, CaseIterable { case killed, resumable, close }

    @Test(
        "A kill and 'stop: resumable' are seen by nobody, and what came meanwhile is answered; 'close' is seen",
        arguments: Place.allCases, Ending.allCases)
    func unnoticed(_ place: Place, _ ending: Ending) async throws {
        let name = "continuity-\(place.rawValue)-\(ending.rawValue)"
        let server = try await Servers.shared.server(place.kind)
        var deployment = try Deployment(name, policy: Policies.community)
        deployment.stop = ending == .resumable ? "resumable" : "close"
        let bot = try await deployment.addAccount("\(name)-bot", at: place.host, on: server)
        try deployment.write()
        var guests: [Guest] = []
        for number in 0..<2 {
            try await server.addUser("\(name)-\(number)", at: Hosts.friends, password: "pw")
            guests.append(
                try await Guest.login(
                    "\(name)-\(number)@\(Hosts.friends)", password: "pw", to: server, acceptsAll: true))
        }
        let (first, second) = (guests[0], guests[1])
        let doorward = try await DoorwardProcess.online(deployment)
        first.ask(bot)
        try await first.next("subscribed", from: bot)
        try await doorward.confirmed(first.address)
        try await eventually("both to see each other") {
            try await first.roster()[bot]?.subscription == "both"
        }
        try await first.settle()
        let before = first.count("unavailable", from: bot)
        switch ending {
        case .killed:
            doorward.killHard()
            _ = await doorward.ended()
        case .resumable, .close:
            try await doorward.terminate()
        }
        second.ask(bot)
        try await second.settle()
        try await DoorwardProcess.with(deployment) { next in
            try await second.next("subscribed", from: bot)
            try await next.confirmed(second.address)
            try await first.settle()
            #expect(first.count("unavailable", from: bot) - before == (ending == .close ? 1 : 0))
            let roster = try await next.ask("roster", "{\"account\":\"\(bot)\"}").array.compactMap { $0["jid"].string }
            #expect(roster.sorted() == guests.map(\.address).sorted())
            #expect(try await next.history().count == 2)
            #expect(try await next.account(bot)["resumed_at"].isNull == (ending == .close))
        }
        for guest in guests { guest.leave() }
    }
}
