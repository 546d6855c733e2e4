import Testing

/// Servers and networks that go away: the service comes back by itself and finishes what it owes.
@Suite("Lost connections", .serialized)
struct ReconnectTests {
    /// What happens to the service while its server is away.
    enum Meanwhile: CaseIterable { case nothing, killed }

    @Test(
        "A server that was away finds the account back, and the answer given meanwhile is sent then",
        arguments: ServerKind.allCases, Meanwhile.allCases)
    func serverRestart(_ kind: ServerKind, _ meanwhile: Meanwhile) async throws {
        let server = try await Servers.make(kind)
        do {
            try await restart(server, meanwhile)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func restart(_ server: any RealServer, _ meanwhile: Meanwhile) async throws {
        var deployment = try Deployment("restart", policy: Policies.community)
        let bot = try await deployment.addAccount("restart-bot", on: server)
        try deployment.write()
        for user in ["kim", "lou", "max"] { try await server.addUser(user, at: Hosts.example, password: "pw") }
        let users = ["kim@example.test", "lou@example.test", "max@example.test"]
        var guests: [Guest] = []
        for user in users { guests.append(try await Guest.login(user, password: "pw", to: server)) }
        var doorward = try await DoorwardProcess.online(deployment)
        var ids: [Int] = []
        for guest in guests {
            guest.ask(bot)
            ids.append(try await doorward.row(of: guest.address)["id"].int ?? 0)
        }
        await server.stop()
        let away = try await eventually("the account to notice") {
            let account = try await doorward.account(bot)
            return account["state"].string == "online" ? nil : account
        }
        #expect(["waiting", "connecting"].contains(away["state"].string), "\(away)")
        let accepted = try await doorward.command("accept", "\(ids[0])")
        #expect(accepted.status == 0)
        try await doorward.ask("reject", "{\"ids\":[\"\(ids[1])\"],\"block\":true}")
        let queued = try await doorward.history().first { $0["contact"].string == users[0] }
        #expect(queued?["state"].string == "queued")
        #expect(queued?["sent_at"].isNull == true)
        if meanwhile == .killed {
            doorward.killHard()
            _ = await doorward.ended()
        }

        try await server.start()
        guests = []
        for user in users { guests.append(try await Guest.login(user, password: "pw", to: server)) }
        if meanwhile == .killed { doorward = try await DoorwardProcess.start(deployment) }
        try await eventually("the account to come back", within: .seconds(90)) {
            try await doorward.account(bot)["state"].string == "online"
        }
        for user in users.prefix(2) { try await doorward.confirmed(user) }
        #expect(try await guests[0].roster()[bot]?.subscription == "to")
        #expect(try await guests[1].roster()[bot]?.subscription == "none")
        let rest = try await doorward.row(of: users[2])
        #expect(rest["id"].int == ids[2])
        try await eventually("the third to be delivered again") {
            try await doorward.row(of: users[2])["seen_count"].int ?? 0 >= 2
        }
        let phone = try await deployment.otherClient(of: bot, on: server)
        #expect(try await phone.blockList() == [users[1]])
        #expect(try await phone.roster()[users[0]]?.subscription == "from")
        try await doorward.terminate()
        for guest in guests + [phone] { guest.leave() }
    }

    @Test("Requests that come while the link is cut again and again are each answered once")
    func cutLink() async throws {
        let server = try await Servers.shared.server(.prosody)
        var random = SeededRandom()
        print("seed \(random.seed)")
        var deployment = try Deployment("cut", policy: Policies.community)
        // The relay is cut, not the server.
        let relay = try Relay(to: server.port)
        defer { relay.close() }
        var accounts: [String] = []
        for number in 0..<4 {
            accounts.append(try await deployment.addAccount("cut-bot-\(number)", on: server))
            deployment.accounts[number].port = relay.port
        }
        try deployment.write()
        let crowd = try await Crowd("cut", guests: 25, accounts: accounts, server: server)
        defer { crowd.leave() }
        let note: Comment = "seed \(random.seed)"
        var rest = crowd.pairs.shuffled(using: &random)
        try await DoorwardProcess.with(deployment) { doorward in
            while !rest.isEmpty {
                for pair in rest.prefix(25) { crowd.ask(pair) }
                rest.removeFirst(min(25, rest.count))
                await pause(.milliseconds(Int.random(in: 0...60, using: &random)))
                relay.cut()
                try await doorward.untilOnline()
            }
            try await crowd.untilAnswered(doorward)
            await pause(.seconds(3))
            try await crowd.check(doorward, note)
        }
        for account in crowd.accounts {
            let client = try await deployment.otherClient(of: account, on: server)
            try await crowd.checkServer(account, client, note)
            client.leave()
        }
    }
}
