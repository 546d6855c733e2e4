import Testing

@Suite("A request delivered again", .serialized)
struct RedeliveryTests {
    @Test("Three logins make one row with seen_count 3, and it is answered once", arguments: ServerKind.allCases)
    func threeLogins(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("again", policy: Policies.askAll)
        let bot = try await deployment.addAccount("again-bot", on: server)
        try deployment.write()
        try await server.addUser("again-guest", at: Hosts.example, password: "pw")
        let guest = try await Guest.login("again-guest@example.test", password: "pw", to: server)
        defer { guest.leave() }
        guest.ask(bot, status: "please")

        var doorward = try await DoorwardProcess.online(deployment)
        for count in 1...3 {
            if count > 1 { doorward = try await doorward.restarted() }
            try await eventually("seen_count \(count)") {
                try await doorward.ask("pending").array.map { $0["seen_count"].int } == [count]
            }
        }
        let row = try await doorward.row(of: guest.address)
        #expect(row["version"].int == 1)
        #expect(row["message"].string == "please")
        #expect(guest.count("subscribed", from: bot) == 0)
        try await doorward.ask("accept", "{\"ids\":[\"\(try #require(row["id"].int))@1\"]}")
        try await guest.next("subscribed", from: bot)
        try await doorward.confirmed(guest.address)
        doorward = try await doorward.restarted()
        try await guest.settle()
        #expect(guest.count("subscribed", from: bot) == 1)
        #expect(try await doorward.desk().count == 1)
        try await doorward.terminate()
    }
}
