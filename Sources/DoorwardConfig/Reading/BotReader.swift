import XMPPCore

/// Reads a bot's file.
struct BotReader {
    private static let botSchema = Schema(
        "a bot",
        keys: ["bot", "policy", "accounts", "modules", "profile", "answers"],
        required: ["bot", "accounts"],
        notBuilt: ["shadow_policy"],
        synonyms: ["name": "bot", "account": "accounts", "module": "modules"]
    )
    private static let accountSchema = Schema(
        "an account",
        keys: [
            "jid", "password", "connect", "login", "resource", "mode", "policy", "modules", "profile", "answers",
            "trusted_rosterx",
        ],
        required: ["jid"],
        notBuilt: ["shadow_policy"],
        synonyms: ["address": "jid", "pass": "password", "server": "connect", "username": "jid", "user": "jid"]
    )

    let reader: FileReader
    let registry: ModuleRegistry

    /// A bot's name with its place, and its accounts.
    func bot(_ root: YAMLNode) -> (name: NamedPlace?, accounts: [AccountDraft]) {
        guard let map = reader.mapping(root, "a bot", example: "{ bot: doorkeeper, policy: community, accounts: [] }")
        else { return (nil, []) }
        let entries = reader.entries(map, of: BotReader.botSchema, at: root.mark)
        let name = entries["bot"].flatMap { entry in
            reader.word(entry.value, "a bot's name")
                .map { NamedPlace(name: $0, mark: entry.value.mark, reader: reader) }
        }
        let policy = entries["policy"].flatMap { reader.policyName($0) }
        // A key that is not known may be meant as this one.
        let isWhole = reader.isComplete && !root.isFaulty && entries.count == map.count
        let mayHavePolicy = entries["policy"] != nil || !isWhole
        let modules = entries["modules"].map { self.modules($0.value) } ?? []
        let answers = entries["answers"].flatMap { reader.answers($0.value) }
        guard let entry = entries["accounts"],
            let items = reader.sequence(entry.value, "accounts", example: "[ { jid: …, password: { file: … } } ]")
        else { return (name, []) }
        var accounts = items.compactMap { account($0, bot: name?.name ?? "", policy: policy) }
        for index in accounts.indices { accounts[index].modules = modules.overridden(by: accounts[index].modules) }
        if let profile = entries["profile"].map({ ProfileReader(reader: reader).profile($0.value) }) {
            for index in accounts.indices { accounts[index].profile = profile.overridden(by: accounts[index].profile) }
        }
        for index in accounts.indices { accounts[index].answers = accounts[index].answers ?? answers }
        if mayHavePolicy { for index in accounts.indices { accounts[index].mayHavePolicy = true } }
        return (name, accounts)
    }

    private func modules(_ node: YAMLNode) -> [ModuleConfiguration] {
        ModulesReader(reader: reader, registry: registry).modules(node)
    }

    private func account(_ node: YAMLNode, bot: String, policy: NamedPlace?) -> AccountDraft? {
        let example = "{ jid: support@example.org, password: { file: secrets/support } }"
        guard let map = reader.mapping(node, "an account", example: example) else { return nil }
        let entries = reader.entries(map, of: BotReader.accountSchema, at: node.mark)
        let parts = AccountReader(reader: reader)
        let password = entries["password"].flatMap { parts.password($0.value) }
        let connect = entries["connect"].flatMap { parts.connect($0.value) }
        let login = entries["login"].flatMap { LoginReader(reader: reader).login($0.value) }
        let resource = entries["resource"].flatMap { self.resource($0.value) }
        let mode = entries["mode"].flatMap { self.mode($0.value) }
        let own = entries["policy"].flatMap { reader.policyName($0) }
        return AccountDraft(
            jid: entries["jid"].flatMap { reader.accountAddress($0.value, "jid") },
            mark: entries["jid"]?.value.mark ?? node.mark,
            wholeMark: node.mark,
            reader: reader,
            bot: bot,
            policy: entries["policy"] == nil ? policy : own,
            mayHavePolicy: entries["policy"] != nil || entries.count < map.count,
            password: password,
            connect: connect,
            login: login,
            mayHaveCredentials: mayHaveCredentials(entries, login, isWhole: entries.count == map.count),
            resource: resource,
            mode: mode ?? .enforce,
            modules: entries["modules"].map { modules($0.value) } ?? [],
            profile: entries["profile"].map { ProfileReader(reader: reader).profile($0.value) }
                ?? ProfileConfiguration(),
            answers: entries["answers"].flatMap { reader.answers($0.value) },
            trustedRosterExchange: entries["trusted_rosterx"].map { TrustReader(reader: reader).trusted($0.value) }
                ?? []
        )
    }

    /// Whether there is a password or a certificate, however faulty; otherwise the file lacks them.
    private func mayHaveCredentials(_ entries: SchemaEntries, _ login: LoginPlace?, isWhole: Bool) -> Bool {
        guard entries["password"] == nil, isWhole, reader.isComplete else { return true }
        guard let entry = entries["login"] else { return false }
        guard case .mapping(let keys) = entry.value.content else { return true }
        return login == nil || keys.contains { $0.key.utf8.elementsEqual("certificate".utf8) }
    }

    private func resource(_ node: YAMLNode) -> String? {
        guard let text = reader.text(node, "resource", limit: 1_023) else { return nil }
        do {
            return try JID("a@example.org/\(text)").resource
        } catch {
            reader.report(
                FaultCatalogue.notAnAddress,
                node.mark,
                "\(reader.quoted(text, node.mark)) is no resource: \(error)"
            )
            return nil
        }
    }

    private func mode(_ node: YAMLNode) -> AccountConfiguration.Mode? {
        if case .scalar(let text, _) = node.content, text == "ask_all" || text == "closed" {
            reader.report(
                FaultCatalogue.notBuiltYet,
                node.mark,
                "the mode '\(text)' is not built yet; use enforce or observe"
            )
            return nil
        }
        return reader.choice(node, "mode", AccountConfiguration.Mode.allCases.map(\.rawValue))
            .flatMap { AccountConfiguration.Mode(rawValue: $0) }
    }
}
