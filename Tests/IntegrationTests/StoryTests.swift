import Foundation
import Testing

/// The day of a doorkeeper, as its operator and its visitors see it.
@Suite("Five guests", .serialized)
struct StoryTests {
    @Test("Rules answer three, a person the strangers; the history says it all", arguments: ServerKind.allCases)
    func fiveGuests(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("story", policy: Policies.community)
        let bot = try await deployment.addAccount("story-bot", on: server)
        try deployment.write()
        func guest(_ user: String, _ host: String, acceptsAll: Bool = false) async throws -> Guest {
            try await server.addUser(user, at: host, password: "pw")
            return try await Guest.login("\(user)@\(host)", password: "pw", to: server, acceptsAll: acceptsAll)
        }
        let friend = try await guest("story-ann", Hosts.friends, acceptsAll: true)
        let spammer = try await guest("story-eve", Hosts.spam)
        let seller = try await guest("story-sam", Hosts.example)
        let stranger = try await guest("story-kim", Hosts.example)
        let pest = try await guest("story-max", Hosts.example)
        let all = [friend, spammer, seller, stranger, pest]
        defer { for guest in all { guest.leave() } }

        try await DoorwardProcess.with(deployment) { doorward in
            friend.ask(bot)
            spammer.ask(bot, status: "hello dear")
            seller.ask(bot, status: "Win the JackPot today")
            stranger.ask(bot, status: "May I?\u{1B}[2J <b>&", nickname: "Kim \u{202E}")
            try await doorward.row(of: stranger.address)
            pest.ask(bot)
            try await doorward.row(of: pest.address)

            // The friend sees the bot, and the bot the friend, in the rule's group.
            try await friend.next("subscribed", from: bot)
            try await friend.next("subscribe", from: bot)
            try await spammer.next("unsubscribed", from: bot)
            try await seller.next("unsubscribed", from: bot)
            let contact = try await eventually("the friend to be a contact in both directions") {
                try await doorward.ask("roster", "{\"account\":\"\(bot)\"}").array.first {
                    $0["jid"].string == friend.address && $0["subscription"].string == "both"
                        && !$0["last_seen"].isNull
                }
            }
            #expect(contact["groups"].array == [.string("Friends")])
            #expect(contact["name"].string == "A friend")
            #expect(contact["asked"].bool == false)
            #expect(contact["last_seen"].string?.hasSuffix("Z") == true)
            #expect(contact.keys.isSuperset(of: ["jid", "name", "subscription", "asked", "groups", "last_seen"]))

            // The strangers wait, in the order in which they came.
            let desk = try await doorward.command("pending", "--json")
            #expect(desk.status == 0)
            let rows = try desk.json.array
            #expect(rows.map { $0["contact"].string } == [stranger.address, pest.address])
            let waiting = try #require(rows.first)
            #expect(
                waiting.keys.isSuperset(of: [
                    "id", "kind", "account", "contact", "message", "nickname", "received_at", "seen_count", "rule",
                    "policy",
                    "version", "deadline", "state",
                ]))
            #expect(waiting["kind"].string == "subscription")
            #expect(waiting["account"].string == bot)
            #expect(waiting["seen_count"].int == 1)
            #expect(waiting["version"].int == 1)
            #expect(waiting["rule"].isNull)
            #expect(waiting["policy"].string == "test")
            #expect(waiting["state"].string == "open")
            #expect(waiting["deadline"].isNull)
            #expect(waiting["received_at"].string?.hasSuffix("Z") == true)
            let words = try await doorward.command("pending")
            #expect(words.output.contains(stranger.address))
            #expect(!words.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })

            // A person answers.
            let first = try #require(waiting["id"].int)
            let second = try #require(rows.last?["id"].int)
            let accepted = try await doorward.command("accept", "\(first)@1", "--json")
            #expect(accepted.status == 0)
            #expect(try accepted.json.array.first?["state"].string == "accepted")
            #expect(try accepted.json.array.first?["error"].isNull == true)
            let rejected = try await doorward.command("reject", "\(second)", "--block")
            #expect(rejected.status == 0, "\(rejected.errors)")
            try await stranger.next("subscribed", from: bot)
            try await pest.next("unsubscribed", from: bot)

            let again = try await doorward.command("accept", "\(first)", "999999", "--json")
            #expect(again.status == 1)
            #expect(try again.json.array.map { $0["id"].int } == [first, 999_999])
            #expect(try again.json.array.allSatisfy { $0["error"].string != nil })
            #expect(try await doorward.command("pending", "--json").json.array.isEmpty)

            for guest in all { try await doorward.confirmed(guest.address) }
            try await checkHistory(doorward, bot, all)
            try await checkStatus(doorward, bot)
        }

        // The server itself agrees.
        let phone = try await deployment.otherClient(of: bot, on: server)
        let roster = try await phone.roster()
        #expect(roster[friend.address]?.subscription == "both")
        #expect(roster[friend.address]?.groups == ["Friends"])
        #expect(roster[stranger.address]?.subscription == "from")
        #expect(roster.count == 2)
        #expect(Set(try await phone.blockList()) == [spammer.address, pest.address])
        phone.leave()
        for guest in all {
            #expect(guest.count("subscribed", from: bot) + guest.count("unsubscribed", from: bot) == 1)
        }
    }

    private func checkHistory(_ doorward: DoorwardProcess, _ bot: String, _ guests: [Guest]) async throws {
        let output = try await doorward.command("history", "--json")
        #expect(output.status == 0)
        let rows = try output.json.array
        let fields: Set<String> = [
            "id", "request", "at", "account", "contact", "event", "decision", "by", "rule", "operator", "reason",
            "policy",
            "policy_digest", "sent_at", "state",
        ]
        #expect(rows.allSatisfy { $0.keys.isSuperset(of: fields) })
        #expect(rows.allSatisfy { $0["id"].string?.hasPrefix("h") == true && $0["request"].int != nil })
        let numbers = rows.compactMap { $0["id"].string.flatMap { Int($0.dropFirst()) } }
        #expect(numbers == numbers.sorted(by: >))
        func story(_ guest: Guest) -> [String] {
            rows.reversed().filter { $0["contact"].string == guest.address }.map { row in
                "\(row["decision"].string ?? "-") by \(row["rule"].string ?? row["by"].string ?? "-"): \(row["state"].string ?? "-")"
            }
        }
        #expect(story(guests[0]) == ["accept by friends: confirmed"])
        #expect(story(guests[1]) == ["reject by spam hosts: confirmed"])
        #expect(story(guests[2]) == ["reject by adverts: confirmed"])
        for (guest, word) in [(guests[3], "accept"), (guests[4], "reject")] {
            #expect(story(guest) == ["ask by default: confirmed", "\(word) by operator: confirmed"])
            let last = rows.first { $0["contact"].string == guest.address }
            #expect(last?["decision"].string == word)
            #expect(last?["by"].string == "operator")
            #expect(last?["operator"].string?.isEmpty == false)
            #expect(last?["state"].string == "confirmed")
            #expect(last?["sent_at"].string?.hasSuffix("Z") == true)
        }
        #expect(rows.allSatisfy { $0["policy"].string == "test" || $0["by"].string == "operator" })
        let page = try await doorward.command("history", "--json", "--limit", "2", "--before", "h\(numbers[1])")
        #expect(try page.json.array.map { $0["id"].string } == numbers[2..<4].map { "h\($0)" })
    }

    private func checkStatus(_ doorward: DoorwardProcess, _ bot: String) async throws {
        let output = try await doorward.command("status", "--json")
        #expect(output.status == 0)
        let status = try output.json
        #expect(status["version"].string?.isEmpty == false)
        #expect(status["started_at"].string?.hasSuffix("Z") == true)
        #expect(status["alerts"] == .array([]))
        let account = try #require(status["accounts"].array.first)
        #expect(account["jid"].string == bot)
        #expect(account["state"].string == "online")
        #expect(account["since"].string?.hasSuffix("Z") == true)
        #expect(account["policy"].string == "test")
        #expect(account["mode"].string == "enforce")
        #expect(account["contacts"].int == 2)
        #expect(account["pending"].int == 0)
        #expect(account["last_error"].isNull)
        for words in [["status"], ["history"], ["alerts"], ["roster", bot]] {
            let output = try await DoorwardProcess.command(words, doorward.deployment)
            #expect(output.status == 0 && !output.output.isEmpty, "\(words): \(output.errors)")
        }
    }

    @Test("A request that crosses two hosts of one server is answered the same", arguments: ServerKind.allCases)
    func twoHosts(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment(
            "hosts",
            policy: """
                subscription:
                  - rule: colleagues and friends
                    when: { domain: [doorward.test, friends.test] }
                    then: accept
                  - rule: others
                    then: reject
                """)
        let here = try await deployment.addAccount("hosts-here", on: server)
        let there = try await deployment.addAccount("hosts-there", at: Hosts.corp, on: server)
        try deployment.write()
        var guests: [(guest: Guest, verdict: String)] = []
        for (host, verdict) in [
            (Hosts.bots, "subscribed"), (Hosts.friends, "subscribed"), (Hosts.example, "unsubscribed"),
        ] {
            try await server.addUser("hosts-guest", at: host, password: "pw")
            guests.append((try await Guest.login("hosts-guest@\(host)", password: "pw", to: server), verdict))
        }
        try await DoorwardProcess.with(deployment) { doorward in
            for (guest, verdict) in guests {
                for account in [here, there] {
                    guest.ask(account)
                    try await guest.next(verdict, from: account)
                }
                try await doorward.confirmed(guest.address)
            }
        }
        for (guest, _) in guests { guest.leave() }
    }
}
