import DoorwardPolicy
import XMPPCore

/// Reads the files of one configuration and holds them against each other.
struct ConfigurationAssembly {
    let faults = FaultCollector()
    private let path: String
    private let overlayPath: String?
    private let isUser: (String) -> Bool?
    private let modules: ModuleRegistry
    private var policies: [String: Policy] = [:]
    /// Names of policies whose file has a fault, or that stand twice: known all the same.
    private var policyPlaces: [String: String] = [:]
    /// Whether a policy's file was too broken to give its name.
    private var hasNamelessPolicy = false
    private var drafts: [AccountDraft] = []
    /// Whether a bot's file was too broken to give its accounts.
    private var hasBrokenBot = false

    init(path: String, overlay: String?, modules: ModuleRegistry, isUser: @escaping (String) -> Bool?) {
        self.path = path
        self.modules = modules
        self.isUser = isUser
        overlayPath = overlay
    }

    /// Nil where the main file cannot be read; otherwise of use only where no error was reported.
    mutating func configuration() -> Configuration? {
        let main = read(path, mayHoldSecrets: true)
        let settings = main.map { MainReader(reader: $0.reader, isUser: isUser).settings($0.root) }
        let overlay = overlayPath.flatMap { path in
            read(path, mayHoldSecrets: true).map { OverlayReader(reader: $0.reader).settings($0.root) }
        }
        guard let main, let settings else { return nil }
        hasNamelessPolicy = !settings.policies.areAll
        hasBrokenBot = !settings.bots.areAll
        readPolicies(settings.policies.patterns, main.reader)
        readBots(settings.bots.patterns, main.reader)
        if let overlay { apply(overlay) }
        if drafts.isEmpty, !hasBrokenBot, main.reader.isComplete {
            main.reader.report(
                FaultCatalogue.noAccounts,
                .wholeFile,
                "no bot has an account: write bots/NAME/bot.yaml with bot, policy and accounts, and name it under bots"
            )
        }
        let accounts = finishedAccounts(settings)
        guard let store = overlay?.storePath ?? settings.storePath,
            let control = overlay?.controlPath ?? settings.controlPath
        else { return nil }
        return Configuration(
            path: main.reader.file.absolutePath,
            storePath: store,
            controlPath: control,
            operators: settings.operators,
            policies: policies,
            accounts: accounts,
            redeliveryWait: overlay?.redeliveryWait ?? settings.redeliveryWait,
            stop: overlay?.stop ?? settings.stop
        )
    }

    private func read(_ path: String, mayHoldSecrets: Bool) -> (reader: FileReader, root: YAMLNode)? {
        guard let file = SourceFile.yaml(path, mayHoldSecrets: mayHoldSecrets, faults: faults),
            let document = YAMLReader.read(file, into: faults)
        else { return nil }
        let isWhole = document.isComplete && !document.root.isFaulty
        let shown = isWhole ? file.revealing(document.root) : file
        return (FileReader(file: shown, faults: faults, isComplete: document.isComplete), document.root)
    }

    /// The files that patterns name, each once.
    private func files(_ patterns: [PathPattern], _ reader: FileReader, _ key: String) -> [String] {
        var files: [String] = []
        var known: Set<[UInt8]> = []
        for pattern in patterns {
            let path = reader.resolve(pattern.path)
            let found = FileGlob.isPattern(pattern.path) ? FileGlob.files(path) : [path]
            if found.isEmpty {
                reader.report(
                    FaultCatalogue.noMatch,
                    pattern.mark,
                    "no file matches \(FilePath.shown(path)) under \(key)"
                )
            }
            for file in found where known.insert(Array(FilePath.absolute(file).utf8)).inserted { files.append(file) }
        }
        return files
    }

    // MARK: Policies

    private mutating func readPolicies(_ patterns: [PathPattern], _ reader: FileReader) {
        for path in files(patterns, reader, "policies") {
            guard let file = SourceFile.yaml(path, mayHoldSecrets: false, faults: faults) else {
                hasNamelessPolicy = true
                continue
            }
            let outcome = PolicyReader.read(file, into: faults)
            guard let name = outcome.name else {
                hasNamelessPolicy = true
                continue
            }
            if let first = policyPlaces[name] {
                faults.report(
                    FaultCatalogue.duplicatePolicy,
                    in: file,
                    at: outcome.nameMark,
                    "the policy '\(name)' stands in \(first) already; each policy has its own name"
                )
                continue
            }
            policyPlaces[name] = file.path
            policies[name] = outcome.policy
        }
    }

    private func check(_ policy: NamedPlace) {
        guard policyPlaces[policy.name] == nil, !hasNamelessPolicy else { return }
        policy.reader.report(
            FaultCatalogue.unknownPolicy,
            policy.mark,
            "unknown policy '\(policy.name)'",
            suggestion: EditDistance.nearest(to: policy.name, among: policyPlaces.keys.sorted())
        )
    }

    // MARK: Bots

    private mutating func readBots(_ patterns: [PathPattern], _ reader: FileReader) {
        var names: [String: String] = [:]
        var places: [BareJID: String] = [:]
        for path in files(patterns, reader, "bots") {
            guard let (reader, root) = read(path, mayHoldSecrets: true) else {
                hasBrokenBot = true
                continue
            }
            let bot = BotReader(reader: reader, registry: modules).bot(root)
            if faults.hasError(in: reader.file.path) { hasBrokenBot = true }
            if let name = bot.name {
                if let first = names[name.name] {
                    reader.report(
                        FaultCatalogue.duplicateBot,
                        name.mark,
                        "the bot '\(name.name)' stands in \(first) already"
                    )
                }
                names[name.name] = reader.file.path
            }
            for var account in bot.accounts {
                if let jid = account.jid {
                    if let first = places[jid] {
                        reader.report(
                            FaultCatalogue.duplicateAccount,
                            account.mark,
                            "the account \(jid) stands at \(first) already"
                        )
                        account.jid = nil
                    } else {
                        places[jid] = reader.place(account.mark)
                    }
                }
                drafts.append(account)
            }
        }
    }

    private mutating func apply(_ overlay: OverlaySettings) {
        for account in overlay.accounts {
            guard let jid = account.jid, let index = drafts.firstIndex(where: { $0.jid == jid }) else {
                checkFiles(account.password, account.connect, account.login)
                guard let jid = account.jid, !hasBrokenBot else { continue }
                account.reader.report(
                    FaultCatalogue.unknownOverlayAccount,
                    account.mark,
                    "no bot has the account \(jid)",
                    suggestion: EditDistance.nearest(
                        to: "\(jid)",
                        among: drafts.compactMap { $0.jid.map { "\($0)" } }
                    )
                )
                continue
            }
            if let password = account.password { drafts[index].password = password }
            if let connect = account.connect { drafts[index].connect = connect }
            if let login = account.login { drafts[index].login = login }
        }
    }

    // MARK: Accounts

    private func finishedAccounts(_ settings: MainSettings) -> [AccountConfiguration] {
        if let policy = settings.defaultPolicy { check(policy) }
        var checked: Set<[UInt8]> = []
        return drafts.compactMap { draft in
            // A bot's policy is one place for all its accounts.
            if let policy = draft.policy, checked.insert(Array(policy.reader.place(policy.mark).utf8)).inserted {
                check(policy)
            }
            let policy = draft.policy ?? settings.defaultPolicy
            if policy == nil, !draft.mayHavePolicy, !settings.mayHaveDefaultPolicy {
                draft.reader.report(
                    FaultCatalogue.noPolicy,
                    draft.mark,
                    "\(draft.jid.map { "\($0)" } ?? "this account") has no policy: name one here, at the bot, or under "
                        + "defaults of the configuration"
                )
            }
            checkFiles(draft.password, draft.connect, draft.login)
            let login = draft.login?.login ?? AccountConfiguration.Login()
            guard draft.password != nil || login.certificate != nil else {
                draft.reportNoCredentials()
                return nil
            }
            guard let jid = draft.jid, let policy else { return nil }
            return AccountConfiguration(
                jid: jid,
                bot: draft.bot,
                policy: policy.name,
                password: draft.password?.source,
                connect: draft.connect?.connect ?? AccountConfiguration.Connect(),
                login: login,
                resource: draft.resource,
                mode: draft.mode,
                modules: draft.modules, profile: draft.profile,
                answers: draft.answers ?? [],
                trustedRosterExchange: draft.trustedRosterExchange
            )
        }
    }

    private func checkFiles(_ password: SecretPlace?, _ connect: ConnectPlace?, _ login: LoginPlace?) {
        if let password { SecretCheck.report(password) }
        if let connect { checkCAFile(connect) }
        if let login { CertificateCheck.report(login) }
    }

    private func checkCAFile(_ place: ConnectPlace) {
        guard let path = place.connect.caFile, let mark = place.caFileMark else { return }
        do {
            _ = try FileLoading.bytes(of: path, limit: 16 * 1_048_576)
        } catch {
            place.reader.report(
                FaultCatalogue.caFileMissing,
                mark,
                "the CA file \(FilePath.shown(path)) cannot be read: \(error.words)"
            )
        }
    }
}
