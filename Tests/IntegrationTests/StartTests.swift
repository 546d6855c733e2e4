import Glibc
import Testing

/// What keeps the service from starting, and what a reload refuses.
///
/// No rule or person: no accept.
@Suite("Faulty files", .serialized)
struct StartTests {
    private static func deployment(_ name: String, policy: String = Policies.community) throws -> Deployment {
        var deployment = try Deployment(name, policy: policy)
        // Nobody listens there; a start is refused before anything is connected.
        deployment.accounts = [
            .init(jid: "nobody@doorward.test", password: "pw", port: 9, caFile: "\(deployment.folder)/ca.pem")
        ]
        return deployment
    }

    /// Runs `run` and `check` on the files; both must end with status 2 and say the fault.
    private func mustNotStart(_ deployment: Deployment, _ expected: String...) async throws {
        let start = try await DoorwardProcess.command(["run"], deployment)
        let check = try await DoorwardProcess.command(["check"], deployment)
        #expect(start.status == 2)
        #expect(check.status == 2)
        for text in [start.output + start.errors, check.output] {
            let faults = text.split(separator: "\n").filter { line in
                line.first != " " && line.contains(": error[DW")
            }
            #expect(!faults.isEmpty, "\(text)")
            for word in expected { #expect(faults.contains { $0.contains(word) }, "\(word) in \(text)") }
        }
        #expect(try await DoorwardProcess.command(["check", "--json"], deployment).json.array.isEmpty == false)
        #expect(access(deployment.controlPath, F_OK) != 0)
    }

    @Test("An account without a policy does not start")
    func noPolicy() async throws {
        let deployment = try Self.deployment("no-policy")
        try deployment.write()
        try deployment.put(
            "bot: tested\naccounts:\n  - jid: nobody@doorward.test\n    password: { file: secrets/nobody@doorward.test }\n",
            at: "\(deployment.folder)/bot/bot.yaml")
        try await mustNotStart(deployment, "policy")
    }

    @Test("An account that names an unknown policy does not start")
    func unknownPolicy() async throws {
        var deployment = try Self.deployment("unknown-policy")
        deployment.accounts[0].policy = "tset"
        try deployment.write()
        try await mustNotStart(deployment, "tset")
    }

    @Test(
        "A faulty policy does not start, and nothing of it is taken",
        arguments: [
            "subscription:\n  - rule: all\n    then: acept\n",
            "subscription:\n  - rule: all\n    when: { domian: friends.test }\n    then: accept\n",
            "subscription:\n  - rule: all\n    when: { message: { matches: x } }\n    then: accept\n",
            "subscription:\n  - rule: all\n    when: { domain: [friends.test\n    then: accept\n",
            "subscription: yes\n",
        ])
    func faultyPolicy(_ policy: String) async throws {
        let deployment = try Self.deployment("faulty-policy", policy: policy)
        try deployment.write()
        try await mustNotStart(deployment, "test.yaml")
    }

    @Test("No accounts at all is a fault")
    func noAccounts() async throws {
        var deployment = try Self.deployment("no-accounts")
        deployment.accounts = []
        try deployment.write()
        try await mustNotStart(deployment)
    }

    @Test("A secret that others can read parks the account and is never used or shown")
    func readableSecret() async throws {
        let deployment = try Self.deployment("readable")
        try deployment.write()
        chmod(deployment.secretFile(of: "nobody@doorward.test"), 0o644)
        let doorward = try await DoorwardProcess.start(deployment)
        let account = try await eventually("the account to be parked") {
            let account = try await doorward.account("nobody@doorward.test")
            return account["state"].string == "parked" ? account : nil
        }
        #expect(account["last_error"].string?.contains("chmod 600") == true, "\(account)")
        try await doorward.terminate()
        #expect(!doorward.log.contains("pw\n"))
    }

    @Test("Without a service the commands say so and end with 3")
    func noService() async throws {
        let deployment = try Self.deployment("no-service")
        try deployment.write()
        for words in [["status"], ["pending", "--json"], ["accept", "1"], ["history"], ["reload"]] {
            let output = try await DoorwardProcess.command(words, deployment)
            #expect(output.status == 3, "\(words): \(output.errors)")
            #expect(!output.errors.isEmpty)
        }
    }

    @Test("A control socket in a folder that others may enter is refused")
    func openFolder() async throws {
        let deployment = try Self.deployment("open-folder")
        try deployment.write()
        chmod("\(deployment.folder)/run", 0o777)
        let output = try await DoorwardProcess.command(["run"], deployment)
        #expect(output.status != 0)
        #expect(output.errors.contains("chmod"), "\(output.errors)")
    }

    @Test(
        "A faulty file at a reload changes nothing, and an alert says why until it is mended", arguments: [false, true])
    func faultyReload(bySignal: Bool) async throws {
        let server = try await Servers.shared.server(.prosody)
        let name = bySignal ? "hup" : "reload"
        var deployment = try Deployment(name, policy: Policies.community)
        let bot = try await deployment.addAccount("\(name)-bot", on: server)
        try deployment.write()
        var guests: [Guest] = []
        for number in 0..<3 {
            try await server.addUser("\(name)-guest-\(number)", at: Hosts.friends, password: "pw")
            guests.append(try await Guest.login("\(name)-guest-\(number)@\(Hosts.friends)", password: "pw", to: server))
        }
        defer { for guest in guests { guest.leave() } }
        try await DoorwardProcess.with(deployment) { doorward in
            func reload() async throws -> Int32 {
                if bySignal {
                    doorward.signal(SIGHUP)
                    return -1
                }
                return try await doorward.command("reload", "--json").status
            }
            let since = try await doorward.account(bot)["since"]
            try deployment.put(
                "version: 1\npolicy: test\nsubscription:\n  - rule: x\n    then: acept\n", at: deployment.policyFile)
            let refused = try await reload()
            #expect(bySignal || refused == 2)
            let alert = try await eventually("the alert") { try await doorward.ask("alerts").array.first }
            #expect(alert["code"].string == "reload_refused")
            #expect(alert["text"].string?.contains("test.yaml:5") == true, "\(alert)")
            #expect(alert["cleared_at"].isNull)
            // The old policy stays.
            guests[0].ask(bot)
            try await guests[0].next("subscribed", from: bot)

            // A better one takes effect without a new login, and the alert goes.
            try deployment.put(
                "version: 1\npolicy: test\nsubscription:\n  - rule: closed\n    then: reject\n",
                at: deployment.policyFile)
            let done = try await reload()
            #expect(bySignal || done == 0)
            try await eventually("the alert to go") { try await doorward.ask("alerts").array.isEmpty }
            #expect(try await doorward.ask("alerts", "{\"all\":true}").array.first?["cleared_at"].string != nil)
            guests[1].ask(bot)
            try await guests[1].next("unsubscribed", from: bot)
            #expect(try await doorward.account(bot)["since"] == since)
        }
    }

    @Test("A reload starts and stops what changed and touches nothing else")
    func reloadChanges() async throws {
        let server = try await Servers.shared.server(.prosody)
        var deployment = try Deployment("changes", policy: Policies.community)
        let stays = try await deployment.addAccount("changes-stays", on: server)
        let goes = try await deployment.addAccount("changes-goes", on: server)
        try deployment.write()
        try await DoorwardProcess.with(deployment) { doorward in
            let since = try await doorward.account(stays)["since"]
            var changed = deployment
            changed.accounts.removeAll { $0.jid == goes }
            let comes = try await changed.addAccount("changes-comes", on: server)
            try changed.write()
            let outcome = try await doorward.ask("reload")
            #expect(outcome["started"].array == [.string(comes)])
            #expect(outcome["stopped"].array == [.string(goes)])
            #expect(outcome["restarted"].array.isEmpty)
            #expect(outcome["faults"].array.isEmpty)
            try await doorward.untilOnline()
            let accounts = try await doorward.ask("status")["accounts"].array
            #expect(Set(accounts.map { $0["jid"].string }) == [stays, comes])
            #expect(try await doorward.account(stays)["since"] == since)
        }
    }
}
