/// An account, one guest who has not asked yet, and a second client of the account.
struct ContactScene: Sendable {
    let deployment: Deployment
    let bot: String
    let guest: Guest
    /// A second client of the account, which sees what the server has.
    let phone: Guest

    init(_ name: String, _ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment(name, policy: Policies.askAll)
        bot = try await deployment.addAccount("\(name)-bot", on: server)
        try deployment.write()
        self.deployment = deployment
        try await server.addUser("\(name)-guest", at: Hosts.example, password: "pw")
        guest = try await Guest.login("\(name)-guest@\(Hosts.example)", password: "pw", to: server)
        phone = try await deployment.otherClient(of: bot, on: server)
    }

    func leave() {
        guest.leave()
        phone.leave()
    }

    /// Runs a command about contacts of the account.
    func contact(_ words: String...) async throws -> CommandOutput {
        var words = words
        words.insert(bot, at: 1)
        return try await DoorwardProcess.command(["contact"] + words, deployment)
    }

    /// The same, where it must be done.
    @discardableResult
    func done(_ words: String...) async throws -> String {
        var words = words
        words.insert(bot, at: 1)
        let output = try await DoorwardProcess.command(["contact"] + words, deployment)
        guard output.status == 0 else { throw HarnessError("\(words): \(output.status), \(output.errors)") }
        return output.output
    }

    /// What the server has of a contact.
    func item(_ contact: String) async throws -> Guest.Item? {
        var item = try await phone.roster()[contact]
        item?.groups.sort()
        return item
    }

    func until(_ contact: String, _ subscription: String, _ doorward: DoorwardProcess) async throws {
        try await eventually("\(contact) to be '\(subscription)'") {
            try await doorward.ask("roster", "{\"account\":\"\(bot)\"}").array
                .contains { $0["jid"].string == contact && $0["subscription"].string == subscription }
        }
    }

    func asked() async throws -> [JSON] { try await contact("list", "--asked", "--json").json.array }
}
