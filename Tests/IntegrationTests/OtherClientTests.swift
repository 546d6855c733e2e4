import Testing

/// What another client of the account, or the requester, does while a request waits on the desk.
@Suite("Requests leave the desk by themselves", .serialized)
struct OtherClientTests {
    /// A bot that asks about everyone, one guest who has asked, and a second client of the bot's account.
    private struct Scene: Sendable {
        let kind: ServerKind
        let deployment: Deployment
        let bot: String
        let guest: Guest
        let phone: Guest

        init(_ name: String, _ kind: ServerKind) async throws {
            self.kind = kind
            let server = try await Servers.shared.server(kind)
            var deployment = try Deployment(name, policy: Policies.askAll)
            bot = try await deployment.addAccount("\(name)-bot", on: server)
            try deployment.write()
            self.deployment = deployment
            try await server.addUser("\(name)-guest", at: Hosts.example, password: "pw")
            guest = try await Guest.login("\(name)-guest@\(Hosts.example)", password: "pw", to: server)
            phone = try await deployment.otherClient(of: bot, on: server)
        }

        /// Runs the service with the request on the desk, then with the rest of the test.
        func play(_ body: (DoorwardProcess, JSON) async throws -> Void) async throws {
            defer {
                guest.leave()
                phone.leave()
            }
            try await DoorwardProcess.with(deployment) { doorward in
                guest.ask(bot, status: "hello")
                try await body(doorward, try await doorward.row(of: guest.address))
            }
        }

        func answer(_ word: String, _ row: JSON, _ doorward: DoorwardProcess) async throws {
            guard let id = row["id"].int else { throw HarnessError("a row without an id: \(row)") }
            try await doorward.ask(word, "{\"ids\":[\"\(id)\"]}")
        }
    }

    @Test("An approval by another client closes the row at once", arguments: ServerKind.allCases)
    func approval(_ kind: ServerKind) async throws {
        let scene = try await Scene("approved", kind)
        try await scene.play { doorward, row in
            scene.phone.presence("subscribed", to: scene.guest.address)
            try await doorward.row(of: scene.guest.address, state: "answered_elsewhere")
            let late = try await doorward.command("accept", "\(row["id"].int ?? 0)")
            #expect(late.status == 1)
            #expect(late.errors.contains("another client"))
            let history = try await doorward.history(of: scene.guest.address, "the closing") {
                $0.last?["event"].string == "closed"
            }
            #expect(history.last?["by"].string == "server")
            #expect(history.last?["decision"].isNull == true)
        }
    }

    @Test("An approval while the service was away closes the row at its next login", arguments: ServerKind.allCases)
    func approvalWhileAway(_ kind: ServerKind) async throws {
        let scene = try await Scene("approved-away", kind)
        try await scene.play { _, _ in }
        let server = try await Servers.shared.server(kind)
        let phone = try await scene.deployment.otherClient(of: scene.bot, on: server)
        phone.presence("subscribed", to: scene.guest.address)
        try await phone.settle()
        phone.leave()
        try await DoorwardProcess.with(scene.deployment) { doorward in
            _ = try await doorward.row(of: scene.guest.address, state: "answered_elsewhere")
        }
    }

    @Test("A denial by another client closes the row at the next fresh login", arguments: ServerKind.allCases)
    func denial(_ kind: ServerKind) async throws {
        let scene = try await Scene("denied", kind)
        try await scene.play { doorward, _ in
            scene.phone.presence("unsubscribed", to: scene.guest.address)
            try await scene.phone.settle()
            try await scene.guest.next("unsubscribed", from: scene.bot)
            // Nothing tells of it in this session.
            #expect(try await doorward.row(of: scene.guest.address)["state"].string == "open")
        }
        try await DoorwardProcess.with(scene.deployment) { doorward in
            try await doorward.row(of: scene.guest.address, state: "withdrawn")
        }
    }

    @Test("A withdrawal leaves at once on Prosody, at the next fresh login on ejabberd", arguments: ServerKind.allCases)
    func withdrawal(_ kind: ServerKind) async throws {
        let scene = try await Scene("withdrawn", kind)
        try await scene.play { doorward, _ in
            scene.guest.presence("unsubscribe", to: scene.bot)
            try await scene.guest.settle()
            switch kind {
            case .prosody:
                try await doorward.row(of: scene.guest.address, state: "withdrawn")
                let history = try await doorward.history()
                #expect(["requester", "server"].contains(history.first?["by"].string))
            case .ejabberd:
                #expect(try await doorward.row(of: scene.guest.address)["state"].string == "open")
            }
        }
        try await DoorwardProcess.with(scene.deployment) { doorward in
            try await doorward.row(of: scene.guest.address, state: "withdrawn")
        }
    }

    @Test("A guest who removes us from the list has withdrawn on Prosody; ejabberd delivers the request again")
    func removal() async throws {
        for kind in ServerKind.allCases {
            let scene = try await Scene("removed", kind)
            try await scene.play { doorward, _ in
                try await scene.guest.setItem(scene.bot, remove: true)
                if kind == .prosody { try await doorward.row(of: scene.guest.address, state: "withdrawn") }
            }
            try await DoorwardProcess.with(scene.deployment) { doorward in
                await pause(.seconds(3))
                let row = try #require(try await doorward.desk().last)
                switch kind {
                case .prosody:
                    #expect(row["state"].string == "withdrawn")
                case .ejabberd:
                    #expect(row["state"].string == "open")
                    #expect(row["seen_count"].int == 2)
                }
            }
        }
    }

    @Test("What was accepted after a login that did not deliver it again is never sent", arguments: ServerKind.allCases)
    func notDelivered(_ kind: ServerKind) async throws {
        let scene = try await Scene("gone", kind)
        try await scene.play { _, _ in }
        let server = try await Servers.shared.server(kind)
        let guest = try await Guest.login(scene.guest.address, password: "pw", to: server)
        defer { guest.leave() }
        guest.presence("unsubscribe", to: scene.bot)
        try await guest.settle()
        // Long enough to answer while it is not yet known that the request is gone.
        var patient = scene.deployment
        patient.redeliveryWait = "5s"
        try patient.write()
        try await DoorwardProcess.with(patient) { doorward in
            let row = try await doorward.row(of: guest.address)
            try await scene.answer("accept", row, doorward)
            try await doorward.row(of: guest.address, state: "withdrawn")
            #expect(try await doorward.history().allSatisfy { $0["sent_at"].isNull })
            guest.ask(scene.bot, status: "again")
            try await doorward.row(of: guest.address)
            try await guest.settle()
            #expect(guest.count("subscribed", from: scene.bot) == 0)
        }
    }

    @Test(
        "A withdrawn request that comes again reopens or opens a row, and can be answered",
        arguments: ServerKind.allCases)
    func again(_ kind: ServerKind) async throws {
        let scene = try await Scene("again-after", kind)
        try await scene.play { doorward, _ in
            scene.guest.presence("unsubscribe", to: scene.bot)
            try await scene.guest.settle()
            if kind == .prosody { try await doorward.row(of: scene.guest.address, state: "withdrawn") }
            scene.guest.ask(scene.bot, status: "once more")
            // On ejabberd the old row still stands: only the second delivery says that the server has the new request.
            let row = try await doorward.row(of: scene.guest.address, seen: 2)
            try await scene.answer("accept", row, doorward)
            try await scene.guest.next("subscribed", from: scene.bot)
            try await doorward.confirmed(scene.guest.address)
        }
    }

    @Test(
        "An accept that finds no request any more closes as withdrawn, and its pre-approval is taken back",
        arguments: ServerKind.allCases, [false, true])
    func acceptFindsNothing(_ kind: ServerKind, hadItem: Bool) async throws {
        let scene = try await Scene(hadItem ? "late-item" : "late", kind)
        if hadItem { try await scene.phone.setItem(scene.guest.address, name: "An old friend") }
        try await scene.play { doorward, row in
            scene.phone.presence("unsubscribed", to: scene.guest.address)
            try await scene.phone.settle()
            try await scene.guest.next("unsubscribed", from: scene.bot)
            try await scene.answer("accept", row, doorward)
            let late = try await doorward.row(of: scene.guest.address, state: "withdrawn")
            #expect(late["id"] == row["id"])

            let roster = try await scene.phone.roster()
            // On ejabberd the other client's denial itself has dropped the item.
            let keepsItem = hadItem && kind == .prosody
            #expect(roster[scene.guest.address]?.subscription == (keepsItem ? "none" : nil))
            #expect(roster[scene.guest.address]?.name == (keepsItem ? "An old friend" : nil))
            // Whoever asks again is seen again, and not let in by what was left behind.
            scene.guest.ask(scene.bot, status: "again")
            let fresh = try await doorward.row(of: scene.guest.address)
            #expect(fresh["message"].string == "again")
            try await scene.guest.settle()
            #expect(scene.guest.count("subscribed", from: scene.bot) == 0)
            try await scene.answer("reject", fresh, doorward)
            try await doorward.confirmed(scene.guest.address)
        }
    }
}
