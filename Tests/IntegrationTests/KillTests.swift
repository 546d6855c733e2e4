import Testing

@Suite("kill -9 at any moment", .serialized)
struct KillTests {
    /// Guests and accounts: 25 times 4 makes the hundred requests.
    private static let guests = 25
    private static let accounts = 4

    @Test(
        "Requests that come while it is killed 25 times are each answered once, as the policy says",
        arguments: ServerKind.allCases)
    func whileTheyCome(_ kind: ServerKind) async throws {
        var random = SeededRandom()
        print("seed \(random.seed)")
        let (deployment, crowd, server) = try await prepare("kill-few", kind)
        defer { crowd.leave() }
        var rest = crowd.pairs.shuffled(using: &random)
        while !rest.isEmpty {
            let now = Array(rest.prefix(4))
            rest.removeFirst(now.count)
            let doorward = try DoorwardProcess.launch(deployment)
            for pair in now {
                let delay = Duration.milliseconds(Int.random(in: 0...400, using: &random))
                after(delay) { crowd.ask(pair) }
            }
            await pause(.milliseconds(Int.random(in: 0...600, using: &random)))
            doorward.killHard()
            #expect(await doorward.ended() == .signal(9))
        }
        try await finish(deployment, crowd, server, "seed \(random.seed)")
    }

    @Test("A hundred requests that wait at the server, and 25 kills while they are worked off")
    func whileTheyWait() async throws {
        var random = SeededRandom()
        print("seed \(random.seed)")
        let (deployment, crowd, server) = try await prepare("kill-all", .prosody)
        defer { crowd.leave() }
        for pair in crowd.pairs { crowd.ask(pair) }
        for guest in crowd.guests.values { try await guest.settle() }
        var progress: [Int] = []
        for _ in 0..<25 {
            let doorward = try DoorwardProcess.launch(deployment)
            if Bool.random(using: &random) {
                // Anywhere from the start of the program to the work.
                await pause(.milliseconds(Int.random(in: 20...200, using: &random)))
            } else {
                // In the middle of the answers: just behind the first that a guest gets.
                let before = crowd.answered
                try? await eventually("an answer", within: .milliseconds(500), every: .milliseconds(2)) {
                    crowd.answered > before
                }
                await pause(.microseconds(Int.random(in: 0...8000, using: &random)))
            }
            doorward.killHard()
            #expect(await doorward.ended() == .signal(9))
            progress.append(crowd.answered)
        }
        print("answered after each kill: \(progress)")
        try await finish(deployment, crowd, server, "seed \(random.seed)")
    }

    @Test("An operator's answers survive a kill right behind them", arguments: ServerKind.allCases)
    func behindAnswers(_ kind: ServerKind) async throws {
        var random = SeededRandom()
        print("seed \(random.seed)")
        let note: Comment = "seed \(random.seed)"
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("kill-desk", policy: Policies.askAll)
        let bot = try await deployment.addAccount("kill-desk-bot", on: server)
        try deployment.write()
        var guests: [Guest] = []
        for number in 0..<12 {
            try await server.addUser("kill-desk-\(number)", at: Hosts.example, password: "pw")
            guests.append(
                try await Guest.login("kill-desk-\(number)@\(Hosts.example)", password: "pw", to: server))
        }
        for guest in guests { guest.ask(bot) }
        for (number, guest) in guests.enumerated() {
            let doorward = try await DoorwardProcess.start(deployment)
            let row = try await doorward.row(of: guest.address)
            let word = number.isMultiple(of: 2) ? "accept" : "reject"
            let answer = try await doorward.ask(word, "{\"ids\":[\"\(row["id"].int ?? 0)\"]}")
            #expect(answer.array.first?["error"].isNull == true, note)
            await pause(.microseconds(Int.random(in: 0...20_000, using: &random)))
            doorward.killHard()
            _ = await doorward.ended()
        }
        try await DoorwardProcess.with(deployment) { doorward in
            for guest in guests { try await doorward.confirmed(guest.address) }
            await pause(.seconds(3))
            for (number, guest) in guests.enumerated() {
                try await guest.settle()
                let told = ["subscribed", "unsubscribed"].map { guest.count($0, from: bot) }
                #expect(told == (number.isMultiple(of: 2) ? [1, 0] : [0, 1]), note)
                let history = try await doorward.history().filter { $0["contact"].string == guest.address }
                #expect(history.count { $0["by"].string == "operator" } == 1, note)
            }
            #expect(try await doorward.ask("pending").array.isEmpty)
        }
        for guest in guests { guest.leave() }
    }

    private func prepare(_ name: String, _ kind: ServerKind) async throws -> (Deployment, Crowd, any RealServer) {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment(name, policy: Policies.community)
        var accounts: [String] = []
        for number in 0..<Self.accounts {
            accounts.append(try await deployment.addAccount("\(name)-bot-\(number)", on: server))
        }
        try deployment.write()
        let crowd = try await Crowd(name, guests: Self.guests, accounts: accounts, server: server)
        return (deployment, crowd, server)
    }

    private func finish(
        _ deployment: Deployment, _ crowd: Crowd, _ server: any RealServer, _ note: Comment
    ) async throws {
        for guest in crowd.guests.values { try await guest.settle() }
        try await DoorwardProcess.with(deployment) { doorward in
            try await crowd.untilAnswered(doorward)
            // Past the time in which a request that is not delivered again counts as withdrawn.
            await pause(.seconds(3))
            try await crowd.check(doorward, note)
        }
        // One more login has nothing to say.
        try await DoorwardProcess.with(deployment) { doorward in
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
