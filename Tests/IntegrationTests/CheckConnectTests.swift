import Testing

@Suite("check --connect beside a running service", .serialized)
struct CheckConnectTests {
    @Test("it logs in step by step, and the account that is online stays so", arguments: ServerKind.allCases)
    func untouched(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("check-connect", policy: Policies.askAll)
        let bot = try await deployment.addAccount("check-connect-bot", on: server)
        try deployment.write()
        try await DoorwardProcess.with(deployment) { doorward in
            let before = try await doorward.account(bot)
            let words = try await doorward.command("check", "--connect", bot)
            #expect(words.status == 0, "\(words)")
            for part in ["TLSv1.", "login by SCRAM-", "bound as \(bot)/", "\(bot) can log in"] {
                #expect(words.output.contains(part), "\(part) in \(words.output)")
            }
            let data = try await doorward.command("check", "--connect", bot, "--json").json
            #expect(data["done"] == .bool(true))
            #expect(data["steps"].array.contains { $0["step"].string == "established" })
            // Whatever it would have done to the session, the service has seen it by the time of this answer.
            let guest = "check-connect-guest"
            try await server.addUser(guest, at: Hosts.example, password: "pw")
            let client = try await Guest.login("\(guest)@\(Hosts.example)", password: "pw", to: server)
            client.ask(bot)
            try await doorward.row(of: client.address)
            client.leave()
            let after = try await doorward.account(bot)
            #expect(after["since"] == before["since"])
            #expect(after["state"].string == "online")
            #expect(!doorward.log.contains("conflict"))
        }
    }

    @Test("a wrong password is status 1, and what to do is said; the running account stays online")
    func wrongPassword() async throws {
        let server = try await Servers.shared.server(.prosody)
        var deployment = try Deployment("check-wrong", policy: Policies.askAll)
        let bot = try await deployment.addAccount("check-wrong-bot", on: server)
        try deployment.write()
        try await DoorwardProcess.with(deployment) { doorward in
            try deployment.writeSecret("not this one", of: bot)
            let output = try await doorward.command("check", "--connect", bot)
            #expect(output.status == 1)
            #expect(output.errors.contains("\(bot) cannot log in: "), "\(output)")
            #expect(output.errors.contains("check the password"))
            #expect(!output.errors.contains("not this one") && !output.output.contains("not this one"))
            #expect(try await doorward.account(bot)["state"].string == "online")
            try deployment.write()
        }
    }
}
