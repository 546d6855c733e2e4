import Testing

/// A real client of others (slixmpp) in the same account, that acts behind our back: the desk, the roster and the
/// history follow.
@Suite("A second client", .serialized)
struct SecondClientTests {
    private struct Scene: Sendable {
        let kind: ServerKind
        let deployment: Deployment
        let bot: String
        let slixmpp: SlixmppClient
        let guests: [Guest]

        init(_ name: String, _ kind: ServerKind, guests count: Int) async throws {
            self.kind = kind
            let server = try await Servers.shared.server(kind)
            var deployment = try Deployment(name, policy: Policies.askAll)
            bot = try await deployment.addAccount("\(name)-bot", on: server)
            try deployment.write()
            self.deployment = deployment
            slixmpp = SlixmppClient(deployment.accounts[0])
            var guests: [Guest] = []
            for number in 0..<count {
                try await server.addUser("\(name)-\(number)", at: Hosts.example, password: "pw")
                guests.append(
                    try await Guest.login("\(name)-\(number)@\(Hosts.example)", password: "pw", to: server))
            }
            self.guests = guests
        }

        func leave() { for guest in guests { guest.leave() } }

        /// All guests have asked, and are on the desk.
        func allAsk(_ doorward: DoorwardProcess) async throws {
            for guest in guests { guest.ask(bot, status: "hello") }
            for guest in guests { try await doorward.row(of: guest.address) }
        }

        /// The roster that Doorward shows, once it is so.
        func roster(
            _ doorward: DoorwardProcess, _ what: String, _ isRight: ([String: Guest.Item]) -> Bool
        ) async throws {
            try await eventually("the roster: \(what)") {
                let rows = try await doorward.ask("roster", "{\"account\":\"\(bot)\"}").array
                return isRight(
                    rows.reduce(into: [:]) { roster, row in
                        roster[row["jid"].string ?? ""] = Guest.Item(
                            subscription: row["subscription"].string ?? "", asked: row["asked"].bool == true,
                            name: row["name"].string, groups: row["groups"].array.compactMap(\.string).sorted())
                    })
            }
        }
    }

    @Test("It answers, denies and blocks while we look on", arguments: ServerKind.allCases)
    func desk(_ kind: ServerKind) async throws {
        let scene = try await Scene("second-desk", kind, guests: 3)
        defer { scene.leave() }
        let (approved, denied, blocked) = (scene.guests[0], scene.guests[1], scene.guests[2])
        try await DoorwardProcess.with(scene.deployment) { doorward in
            try await scene.allAsk(doorward)
            let sight = try await scene.slixmpp.visit(
                .approve(approved.address), .deny(denied.address), .block(blocked.address))
            #expect(sight.blocked == [blocked.address])
            #expect(sight.roster[approved.address]?.subscription == "from")

            try await doorward.row(of: approved.address, state: "answered_elsewhere")
            let rows = try await doorward.history(of: approved.address, "the closing") {
                $0.last?["event"].string == "closed"
            }
            #expect(rows.last?["by"].string == "server" && rows.last?["sent_at"].isNull == true)
            try await scene.roster(doorward, "the approved one is in it") {
                $0[approved.address]?.subscription == "from"
            }
            try await doorward.row(of: blocked.address, state: "covered")
            // No server tells of another client's denial before the next login.
            try await denied.next("unsubscribed", from: scene.bot)
            #expect(try await doorward.row(of: denied.address)["state"].string == "open")
            let block = try await doorward.ask("block list", "{\"account\":\"\(scene.bot)\"}")
            #expect(block.array.map { $0["jid"].string } == [blocked.address])
            for guest in scene.guests { try await guest.settle() }
            #expect(approved.count("subscribed", from: scene.bot) == 1)
        }
        try await DoorwardProcess.with(scene.deployment) { doorward in
            try await doorward.row(of: denied.address, state: "withdrawn")
            #expect(try await doorward.ask("pending").array.isEmpty)
        }
    }

    @Test("It adds, renames and removes contacts while we look on", arguments: ServerKind.allCases)
    func roster(_ kind: ServerKind) async throws {
        let scene = try await Scene("second-roster", kind, guests: 1)
        defer { scene.leave() }
        let friend = scene.guests[0]
        try await DoorwardProcess.with(scene.deployment) { doorward in
            try await scene.slixmpp.visit(
                .item(friend.address, name: "A friend", groups: ["Club", "Pals"]), .ask(friend.address))
            let asked = Guest.Item(subscription: "none", asked: true, name: "A friend", groups: ["Club", "Pals"])
            try await scene.roster(doorward, "added and asked") { $0 == [friend.address: asked] }
            friend.presence("subscribed", to: scene.bot)
            try await scene.roster(doorward, "approved") { $0[friend.address]?.subscription == "to" }
            // What is kept of contacts is written in batches.
            try await eventually("who added it") {
                let seen = try await doorward.ask("contact list", "{\"account\":\"\(scene.bot)\"}").array
                return seen.map { $0["added_by"].string } == ["other_client"]
            }

            let renamed = try await scene.slixmpp.visit(.item(friend.address, name: "An old friend", groups: ["Pals"]))
            let due = Guest.Item(subscription: "to", asked: false, name: "An old friend", groups: ["Pals"])
            #expect(renamed.roster == [friend.address: due])
            try await scene.roster(doorward, "renamed") { $0 == renamed.roster }

            // What we change then keeps what it set.
            let group = try await doorward.command("contact", "group", scene.bot, friend.address, "--add", "Guests")
            #expect(group.status == 0, "\(group.errors)")
            let both = Guest.Item(subscription: "to", asked: false, name: "An old friend", groups: ["Guests", "Pals"])
            #expect(try await scene.slixmpp.visit().roster == [friend.address: both])

            try await scene.slixmpp.visit(.remove(friend.address))
            try await scene.roster(doorward, "removed") { $0.isEmpty }
            try await friend.next("unsubscribe", from: scene.bot)
            try await eventually("who removed it") {
                let gone = try await doorward.ask("contact list", "{\"account\":\"\(scene.bot)\",\"gone\":true}").array
                return gone.map { $0["jid"].string } == [friend.address]
                    && gone.first?["removed_by"].string == "elsewhere"
            }
        }
    }

    @Test("What it did while we were away is found at the next login and told", arguments: ServerKind.allCases)
    func away(_ kind: ServerKind) async throws {
        let scene = try await Scene("second-away", kind, guests: 6)
        defer { scene.leave() }
        let names = scene.guests.map(\.address)
        let (approved, denied, blocked) = (names[0], names[1], names[2])
        let (kept, removed, new) = (names[3], names[4], names[5])
        try await DoorwardProcess.with(scene.deployment) { doorward in
            for contact in [kept, removed] {
                try await doorward.ask(
                    "contact add", "{\"account\":\"\(scene.bot)\",\"contact\":\"\(contact)\",\"groups\":[\"Old\"]}")
            }
            for guest in scene.guests[3...4] {
                try await guest.next("subscribe", from: scene.bot)
                guest.presence("subscribed", to: scene.bot)
                try await guest.settle()
            }
            for guest in scene.guests[0...2] { guest.ask(scene.bot) }
            for guest in scene.guests[0...2] { try await doorward.row(of: guest.address) }
            try await scene.roster(doorward, "both approved") { $0.values.allSatisfy { $0.subscription == "to" } }
        }
        let sight = try await scene.slixmpp.visit(
            .approve(approved), .deny(denied), .block(blocked), .item(kept, name: "Kept", groups: ["New"]),
            .remove(removed), .item(new, name: "New one", groups: []))
        #expect(Set(sight.roster.keys) == [approved, kept, new] && sight.blocked == [blocked])
        try await DoorwardProcess.with(scene.deployment) { doorward in
            try await scene.roster(doorward, "as slixmpp left it") { $0 == sight.roster }
            try await doorward.row(of: approved, state: "answered_elsewhere")
            try await doorward.row(of: denied, state: "withdrawn")
            try await doorward.row(of: blocked, state: "covered")
            #expect(try await doorward.ask("pending").array.isEmpty)
            let lines = doorward.log.split(separator: "\n").filter { $0.contains("event=contact_changed") }
            for (contact, change) in [
                (approved, "came_while_away"), (new, "came_while_away"), (kept, "changed_while_away"),
                (removed, "went_while_away"),
            ] {
                let told = lines.filter { $0.contains("contact=\(contact) change=\(change)") }
                #expect(told.count == 1, "\(contact) \(change): \(lines.joined(separator: "\n"))")
            }
            let gone = try await doorward.ask("contact list", "{\"account\":\"\(scene.bot)\",\"gone\":true}").array
            #expect(gone.map { $0["jid"].string } == [removed])
            #expect(gone.first?["removed_by"].string == "while_away")
            for guest in scene.guests { try await guest.settle() }
            #expect(scene.guests[0].count("subscribed", from: scene.bot) == 1)
            #expect(scene.guests[2].count("subscribed", from: scene.bot) == 0)
        }
    }
}
