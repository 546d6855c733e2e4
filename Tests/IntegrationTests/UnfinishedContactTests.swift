import Testing

/// Commands about contacts in whose middle the process is killed, or the link breaks, against the real servers.
@Suite("Contact commands that are cut short", .serialized)
struct UnfinishedContactTests {
    private static let rounds = 12

    @Test(
        "What was begun when it was killed is done after the next login, by its operator",
        arguments: ServerKind.allCases)
    func killed(_ kind: ServerKind) async throws {
        var random = SeededRandom()
        let seed = random.seed
        print("seed \(seed)")
        let scene = try await ContactScene("cut", kind)
        defer { scene.leave() }
        let names = (0..<Self.rounds).map { "cut-\($0)@\(Hosts.example)" }
        // Half of them are added, half were there and are renamed, and all by a process that does not live to tell.
        for (number, name) in names.enumerated() where number.isMultiple(of: 2) {
            try await DoorwardProcess.with(scene.deployment) { _ in
                try await scene.done("add", name, "--name", "Old", "--group", "G")
            }
        }
        for (number, name) in names.enumerated() {
            let doorward = try await DoorwardProcess.start(scene.deployment)
            try await doorward.untilOnline()
            let words =
                number.isMultiple(of: 2)
                ? ["rename", scene.bot, name, "New"] : ["add", scene.bot, name, "--name", "New"]
            let deployment = scene.deployment
            let command = Task { try await DoorwardProcess.command(["contact"] + words, deployment) }
            try? await eventually("it is begun", within: .milliseconds(500), every: .milliseconds(1)) {
                try await doorward.history().contains {
                    $0["contact"].string == name && $0["action"].string == words.first
                }
            }
            await pause(.microseconds(Int.random(in: 0...3000, using: &random)))
            doorward.killHard()
            _ = await doorward.ended()
            _ = try? await command.value
        }
        try await DoorwardProcess.with(scene.deployment) { try await finished(names, scene, $0, seed: seed) }
    }

    private func finished(
        _ names: [String], _ scene: ContactScene, _ doorward: DoorwardProcess, seed: UInt64
    ) async throws {
        try await eventually("all of it to have an end") {
            try await doorward.history().allSatisfy { $0["state"].string == "confirmed" }
        }
        let history = try await doorward.history()
        let later = history.count { $0["reason"].string?.contains("later") == true }
        print("\(history.count) rows, \(later) finished later")
        #expect(history.allSatisfy { $0["operator"].string == "root" && $0["event"].string == "contact" })
        for (number, name) in names.enumerated() {
            let wasThere = number.isMultiple(of: 2)
            let rows = history.filter { $0["contact"].string == name }
            let item = try await scene.item(name)
            // What was not begun has left no trace, neither here nor there.
            guard rows.contains(where: { $0["action"].string == (wasThere ? "rename" : "add") }) else {
                #expect(item?.name == (wasThere ? "Old" : nil), "seed \(seed)")
                continue
            }
            #expect(item?.name == "New" && item?.asked == true, "seed \(seed) \(name)")
            #expect(item?.groups == (wasThere ? ["G"] : []))
        }
    }

    @Test("Who added the account, and who has refused, is asked by command", arguments: ServerKind.allCases)
    func asked(_ kind: ServerKind) async throws {
        let scene = try await ContactScene("ask", kind)
        defer { scene.leave() }
        let ann = scene.guest.address
        try await DoorwardProcess.with(scene.deployment) { doorward in
            scene.guest.ask(scene.bot)
            let row = try await doorward.row(of: ann)
            let answer = try await doorward.ask("accept", "{\"ids\":[\"\(row["id"].int ?? 0)\"]}")
            #expect(answer.array.first?["error"].isNull == true)
            try await scene.until(ann, "from", doorward)
            try await scene.done("rename", ann, "Ann")
            let mark = await scene.guest.mark()
            try await scene.done("add", ann, "--group", "G")
            try await scene.guest.next("subscribe", from: scene.bot, after: mark)
            #expect(
                try await scene.item(ann) == Guest.Item(subscription: "from", asked: true, name: "Ann", groups: ["G"]))
            let twice = try await scene.contact("add", ann)
            #expect(twice.status == 1 && twice.errors.contains("was asked and has not answered"), "\(twice.errors)")
            scene.guest.presence("subscribed", to: scene.bot)
            try await scene.until(ann, "both", doorward)
            let history = try await doorward.history(of: ann, "the ask") { rows in
                rows.contains { $0["action"].string == "ask" }
            }
            #expect(history.first { $0["action"].string == "ask" }?["state"].string == "confirmed")
            let same = try await scene.done("rename", ann, "Ann")
            #expect(same.contains("was so already"), "\(same)")
        }
    }
}
