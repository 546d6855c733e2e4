import Testing

/// A fault of one account is that account's own, is said in words, and gives no secret away.
@Suite("Accounts that cannot log in", .serialized)
struct AccountFaultTests {
    @Test(
        "A wrong password parks the account with an alert; mended and reloaded it comes online, the others stay so",
        arguments: ServerKind.allCases)
    func wrongPassword(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("wrong", policy: Policies.askAll)
        let good = try await deployment.addAccount("wrong-good", on: server)
        let bad = try await deployment.addAccount("wrong-bad", on: server)
        try deployment.write()
        try deployment.writeSecret("not this one", of: bad)
        let doorward = try await DoorwardProcess.start(deployment)
        let parked = try await eventually("the account to be parked") {
            let account = try await doorward.account(bad)
            return account["state"].string == "parked" ? account : nil
        }
        #expect(parked["last_error"].string?.isEmpty == false)
        try await eventually("the other to be online") { try await doorward.account(good)["state"].string == "online" }
        let since = try await doorward.account(good)["since"]
        let alert = try await eventually("the alert") { try await doorward.ask("alerts").array.first }
        #expect(alert["code"].string == "account_parked")
        #expect(alert["account"].string == bad)

        // A reload before it is mended changes nothing for the better.
        try await doorward.ask("reload")
        try await eventually("the account to be parked again") {
            try await doorward.account(bad)["state"].string == "parked"
        }

        try deployment.write()
        let outcome = try await doorward.command("reload", "--json")
        #expect(outcome.status == 0)
        #expect(try outcome.json["restarted"].array == [.string(bad)])
        try await doorward.untilOnline()
        try await eventually("the alert to go") { try await doorward.ask("alerts").array.isEmpty }
        #expect(try await doorward.account(good)["since"] == since)
        #expect(try await doorward.account(bad)["last_error"].isNull)
        try await doorward.terminate()
        #expect(!doorward.log.contains("not this one") && !doorward.log.contains("correct horse"))
    }

    @Test("An account that the server does not know is parked", arguments: ServerKind.allCases)
    func unknownAccount(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("unknown", policy: Policies.askAll)
        deployment.accounts = [
            .init(jid: "unknown-nobody@doorward.test", password: "pw", port: server.port, caFile: server.caFile)
        ]
        try deployment.write()
        let doorward = try await DoorwardProcess.start(deployment)
        try await eventually("the account to be parked") {
            try await doorward.account("unknown-nobody@doorward.test")["state"].string == "parked"
        }
        try await doorward.terminate()
    }

    /// What is wrong with the certificate.
    enum Certificate: CaseIterable { case unknownAuthority, wrongName }

    @Test(
        "A certificate of an unknown authority or for another name is refused before any secret is sent",
        arguments: ServerKind.allCases, Certificate.allCases)
    func certificate(_ kind: ServerKind, _ fault: Certificate) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("certificate", policy: Policies.askAll)
        let host = fault == .wrongName ? Hosts.misnamed : Hosts.bots
        let user = "certificate-\(fault)".lowercased()
        let jid = try await deployment.addAccount(user, at: host, on: server)
        if fault == .unknownAuthority {
            try await Certificates.authority("other", in: deployment.folder)
            deployment.accounts[0].caFile = "\(deployment.folder)/other.pem"
        }
        // Between the two stands a relay that writes down what passes.
        let relay = try Relay(to: server.port)
        deployment.accounts[0].port = relay.port
        try deployment.write()
        let doorward = try await DoorwardProcess.start(deployment)
        let error = try await eventually("the refusal") { try await doorward.account(jid)["last_error"].string }
        let account = try await doorward.account(jid)
        #expect(["waiting", "connecting", "parked"].contains(account["state"].string), "\(account)")
        #expect(error.contains("certificate"), "\(error)")
        if fault == .wrongName { #expect(error.contains(Hosts.misnamed), "\(error)") }
        try await doorward.terminate()
        let sent = relay.sent
        #expect(sent.contains("<starttls"))
        #expect(!sent.contains("<auth") && !sent.contains("correct horse"))
        #expect(!server.log.lines(with: "uthenticated").contains { $0.contains(user) })
        relay.close()
    }
}

extension String {
    /// The lines in which the text stands.
    fileprivate func lines(with text: String) -> [Substring] {
        split(separator: "\n").filter { $0.contains(text) }
    }
}
