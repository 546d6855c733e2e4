import XMPPCore

/// A command that asks the running service: request out, answer in, printed as words or as the contract's data.
struct ServiceCommand {
    let output: Output
    let now: Timestamp

    func run(_ invocation: Invocation) throws(UsageError) -> CommandStatus {
        let arguments = try Self.arguments(of: invocation)
        let file = try ConfigurationFile(invocation)
        let result: CommandResult
        do throws(ControlClient.Failure) {
            let client = try connect(file, saysDemo: !invocation.json)
            result = try client.ask(invocation.command.name, arguments: arguments)
        } catch {
            output.error(error.text)
            return error.status
        }
        let shown = saveAvatar(result, invocation)
        print(shown, invocation)
        return shown.status
    }

    private func connect(
        _ file: ConfigurationFile, saysDemo: Bool
    ) throws(ControlClient.Failure) -> ControlClient {
        let named: String?
        do throws(ControlSocketLocator.Unreadable) { named = try ControlSocketLocator.named(file) } catch {
            throw ControlClient.Failure(status: .usage, text: error.text)
        }
        guard let path = named else {
            if let demo = demo(file, says: saysDemo) { return demo }
            throw ControlClient.Failure(
                status: .usage,
                text: "\(file.path) names no control socket, such as 'control: var/doorward.sock'"
            )
        }
        do throws(ControlClient.Failure) { return try ControlClient(path: path) } catch {
            guard error.status == .notRunning, let demo = demo(file, says: saysDemo) else { throw error }
            return demo
        }
    }

    /// The running demo, where there is one: a second terminal need not know of its overlay.
    ///
    /// - Parameters:
    ///   - file: The configuration, which says where a demo would be.
    ///   - says: Whether a person is told whom is asked; a program that reads data is not.
    /// - Returns: A connection to it.
    private func demo(_ file: ConfigurationFile, says: Bool) -> ControlClient? {
        for path in ControlSocketLocator.demo(file) {
            guard let client = try? ControlClient(path: path) else { continue }
            if says { output.error("asking the demo, which listens at \(path)") }
            return client
        }
        return nil
    }

    /// The arguments as the protocol has them.
    static func arguments(of invocation: Invocation) throws(UsageError) -> JSONValue {
        var members: [JSONMember] = []
        switch invocation.command.identifier {
        case .alerts, .history, .reload, .status: break
        case .pending:
            guard !invocation.arguments.isEmpty else { break }
            for id in invocation.arguments where RequestReference(id)?.version != nil || RequestReference(id) == nil {
                throw UsageError("'\(id)' is no number of a request; 'doorward pending' shows them, such as 17")
            }
            if let flag = ["all", "account"].first(where: { invocation.has($0) }) {
                throw UsageError("--\(flag) and the number of a request contradict each other: leave one out")
            }
            members.append(JSONMember("ids", .strings(invocation.arguments)))
        case .accept, .reject:
            for id in invocation.arguments where RequestReference(id) == nil {
                throw UsageError("'\(id)' is no id of a request; 'doorward pending' shows them, such as 17 or 17@2")
            }
            members.append(JSONMember("ids", .strings(invocation.arguments)))
        case .contactAdd, .contactRename, .contactGroup, .contactRemove, .contactList, .roster:
            return try contactArguments(of: invocation)
        case .accountTrustAgain:
            let account = invocation.arguments.first ?? ""
            do { members.append(JSONMember("account", .string(try BareJID(account).description))) } catch {
                throw UsageError(
                    "'\(account)' is \(error.description); give the account's address, such as support@example.org")
            }
        case .avatar: members += try avatarArguments(invocation)
        case .blockAdd, .blockRemove, .blockList: members += try BlockCommandWords.arguments(of: invocation)
        case .invite, .inviteList, .inviteRevoke: members += try InviteCommandWords.arguments(of: invocation)
        case .run, .check, .demo, .policyExplain, .newBot, .version, .help: break
        }
        for flag in ["all", "block"] where invocation.has(flag) { members.append(JSONMember(flag, .bool(true))) }
        for flag in ["account", "before", "report", "text"] {
            if let value = invocation[flag] { members.append(JSONMember(flag, .string(value))) }
        }
        if invocation.command.identifier == .history {
            // Words say whether there are older rows, so they need to see one more.
            let limit = Self.historyLimit(invocation) + (invocation.json ? 0 : 1)
            members.append(JSONMember("limit", .integer(limit)))
        }
        return .object(members)
    }

    private static func historyLimit(_ invocation: Invocation) -> Int {
        invocation["limit"].flatMap { Int($0) } ?? 100
    }

    func print(_ result: CommandResult, _ invocation: Invocation) {
        if invocation.json {
            if !result.data.isNull { output.json(result.data) }
        } else {
            output.lines(words(result, invocation))
        }
        guard let error = result.error else { return }
        // One line for each request that was refused says more than how many there were, unless all say the same.
        let refusals = DeskRenderer(now: now, width: output.width).refusals(result.data)
        if refusals.allSatisfy({ $0 == TerminalText(error) }) {
            output.error("\(error)")
        } else {
            refusals.forEach(output.error)
        }
    }

    private func words(_ result: CommandResult, _ invocation: Invocation) -> [TerminalText] {
        let desk = DeskRenderer(now: now, width: output.width)
        let service = ServiceRenderer(now: now, width: output.width)
        switch invocation.command.identifier {
        case .accept: return desk.answered(result.data, accepted: true)
        case .reject:
            return desk.answered(
                result.data, accepted: false, blocked: invocation.has("block") || invocation.has("report"))
        case .reload: return result.status == .done ? service.reload(result.data) : service.faults(result.data)
        case .pending where !invocation.arguments.isEmpty: return desk.requests(result.data)
        case .inviteRevoke: return InviteCommandWords.words(result.data, invocation, output: output, now: now)
        case _ where result.status != .done: return []
        case .status: return service.status(result.data)
        case .alerts: return service.alerts(result.data, all: invocation.has("all"))
        case .pending: return desk.pending(result.data, all: invocation.has("all"))
        case .history:
            let flags = ["account", "limit", "config", "overlay"].compactMap { name in
                invocation[name].map { " --\(name) " + shellQuoted($0) }
            }
            return desk.history(
                result.data, limit: Self.historyLimit(invocation), isLater: invocation.has("before"),
                flags: flags.joined())
        case .roster, .contactAdd, .contactRename, .contactGroup, .contactRemove, .contactList:
            return contactWords(result.data, invocation)
        case .accountTrustAgain:
            let account = invocation.arguments.first ?? ""
            return ["\(account) forgets how its logins went, and connects anew"]
        case .avatar: return avatarWords(result.data, invocation)
        case .blockAdd, .blockRemove, .blockList:
            return BlockCommandWords.words(result.data, invocation, width: output.width)
        case .invite, .inviteList:
            return InviteCommandWords.words(result.data, invocation, output: output, now: now)
        case .run, .check, .demo, .policyExplain, .newBot, .version, .help: return []
        }
    }
}
