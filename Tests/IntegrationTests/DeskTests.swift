import Glibc
import Testing

/// Corners of the desk and of the process that only the whole can show.
@Suite("The desk and the process", .serialized)
struct DeskTests {
    private func scene(
        _ name: String, _ kind: ServerKind, policy: String = Policies.askAll
    ) async throws -> (deployment: Deployment, bot: String, guest: Guest, server: any RealServer) {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment(name, policy: policy)
        let bot = try await deployment.addAccount("\(name)-bot", on: server)
        try deployment.write()
        try await server.addUser("\(name)-guest", at: Hosts.example, password: "pw")
        let guest = try await Guest.login("\(name)-guest@\(Hosts.example)", password: "pw", to: server)
        return (deployment, bot, guest, server)
    }

    @Test("An answer to what the operator no longer sees is refused", arguments: ServerKind.allCases)
    func stale(_ kind: ServerKind) async throws {
        let (deployment, bot, guest, server) = try await scene("stale", kind)
        let phone = try await deployment.otherClient(of: bot, on: server)
        try await DoorwardProcess.with(deployment) { doorward in
            guest.ask(bot, status: "I am nice")
            let row = try await doorward.row(of: guest.address)
            // Denied by another client, asked again with other words: the same row, in its second version.
            phone.presence("unsubscribed", to: guest.address)
            try await guest.next("unsubscribed", from: bot)
            guest.ask(bot, status: "I am not")
            try await eventually("the second version") {
                try await doorward.row(of: guest.address)["version"].int == 2
            }
            let id = try #require(row["id"].int)
            let late = try await doorward.command("accept", "\(id)@1")
            #expect(late.status == 1)
            #expect(late.errors.contains("\(id)@2"), "\(late.errors)")
            #expect(try await doorward.row(of: guest.address)["message"].string == "I am not")
            let now = try await doorward.command("reject", "\(id)@2")
            #expect(now.status == 0)
            try await doorward.confirmed(guest.address)
        }
        guest.leave()
        phone.leave()
    }

    @Test("Of many operators who answer at once exactly one is heard")
    func race() async throws {
        let (deployment, bot, guest, _) = try await scene("race", .prosody)
        try await DoorwardProcess.with(deployment) { doorward in
            guest.ask(bot)
            let id = try #require(try await doorward.row(of: guest.address)["id"].int)
            let path = deployment.controlPath
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        let word = number.isMultiple(of: 2) ? "accept" : "reject"
                        return try await ControlClient(path: path).perform(word, "{\"ids\":[\"\(id)@1\"]}").status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [0] + Array(repeating: 1, count: 9))
            try await doorward.confirmed(guest.address)
            try await guest.settle()
            #expect(guest.count("subscribed", from: bot) + guest.count("unsubscribed", from: bot) == 1)
        }
        guest.leave()
    }

    @Test("In the mode observe everything is recorded and nothing sent", arguments: ServerKind.allCases)
    func observe(_ kind: ServerKind) async throws {
        var (deployment, bot, guest, server) = try await scene("observe", kind, policy: Policies.community)
        deployment.accounts[0].mode = "observe"
        try deployment.write()
        let friend: Guest
        try await server.addUser("observe-friend", at: Hosts.friends, password: "pw")
        friend = try await Guest.login("observe-friend@\(Hosts.friends)", password: "pw", to: server)
        try await DoorwardProcess.with(deployment) { doorward in
            friend.ask(bot)
            guest.ask(bot, status: "casino")
            for asking in [friend, guest] {
                let rows = try await doorward.history(of: asking.address, "the decision") { !$0.isEmpty }
                #expect(rows.map { $0["state"].string } == ["not_sent"])
            }
            #expect(try await doorward.account(bot)["mode"].string == "observe")
            #expect(try await doorward.ask("roster", "{\"account\":\"\(bot)\"}").array.isEmpty)
            // Told to act, it acts on what waits at the server.
            deployment.accounts[0].mode = "enforce"
            try deployment.write()
            try await doorward.ask("reload")
        }
        try await DoorwardProcess.with(deployment) { doorward in
            try await friend.next("subscribed", from: bot)
            try await guest.next("unsubscribed", from: bot)
            try await doorward.confirmed(friend.address)
        }
        friend.leave()
        guest.leave()
    }

    @Test(
        "Another client that takes the resource keeps it: the account waits long before it comes with another one (B056)",
        arguments: ServerKind.allCases)
    func conflict(_ kind: ServerKind) async throws {
        let (deployment, bot, guest, server) = try await scene("conflict", kind)
        try await DoorwardProcess.with(deployment) { doorward in
            let other = try await Guest.login(bot, password: "correct horse", to: server, resource: "doorward")
            try await eventually("the account to wait") {
                try await doorward.account(bot)["state"].string == "waiting"
            }
            // How long, and with which resource it comes, the tests of the runtime show by a manual clock.
            #expect(try await doorward.account(bot)["last_error"].string?.contains("conflict") == true)
            try await other.settle()
            other.leave()
        }
        guest.leave()
    }

    @Test("A second service on the same socket and store does not start, and the first goes on")
    func second() async throws {
        let (deployment, _, guest, _) = try await scene("second", .prosody)
        try await DoorwardProcess.with(deployment) { doorward in
            let second = try await DoorwardProcess.command(["run"], deployment)
            #expect(second.status == 1, "\(second.errors)")
            #expect(!second.errors.isEmpty)
            try await doorward.untilOnline()
            #expect(try await doorward.command("status").status == 0)
        }
        // Behind a kill the socket's file is still there, and in nobody's way.
        let killed = try await DoorwardProcess.online(deployment)
        killed.killHard()
        _ = await killed.ended()
        #expect(access(deployment.controlPath, F_OK) == 0)
        try await DoorwardProcess.with(deployment) { _ in
            var place = stat()
            #expect(stat(deployment.controlPath, &place) == 0)
            #expect(place.st_mode & 0o777 == 0o660)
        }
        guest.leave()
    }

    @Test("SIGTERM among requests loses none", arguments: ServerKind.allCases)
    func terminated(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("term", policy: Policies.community)
        let bot = try await deployment.addAccount("term-bot", on: server)
        try deployment.write()
        let crowd = try await Crowd("term", guests: 16, accounts: [bot], server: server)
        for pair in crowd.pairs {
            let doorward = try await DoorwardProcess.start(deployment)
            crowd.ask(pair)
            try await doorward.terminate()
        }
        try await DoorwardProcess.with(deployment) { doorward in
            try await crowd.untilAnswered(doorward)
            try await crowd.check(doorward, "SIGTERM")
        }
        crowd.leave()
    }

    @Test("Whatever a stranger writes is kept, shown harmlessly and bounded", arguments: ServerKind.allCases)
    func strangeText(_ kind: ServerKind) async throws {
        let (deployment, bot, guest, _) = try await scene("strange", kind)
        let long = String(repeating: "ä\u{1F600}", count: 4000)
        try await DoorwardProcess.with(deployment) { doorward in
            guest.ask(bot, status: "line\nbreak \u{85}\u{2028}\u{202E}\u{200B} \"quoted\" ]]> \(long)", nickname: long)
            let row = try await doorward.row(of: guest.address)
            #expect(row["message"].string?.hasPrefix("line\nbreak") == true)
            let words = try await doorward.command("pending")
            #expect(words.status == 0)
            #expect(words.output.utf8.count < 4000)
            let shown = words.output.unicodeScalars
            #expect(!shown.contains { ["\u{85}", "\u{2028}", "\u{202E}", "\u{200B}", "\u{1B}"].contains($0) })
            #expect(!doorward.log.contains("quoted"))
        }
        guest.leave()
    }
}
