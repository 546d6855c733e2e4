import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
package import XMPPCore

/// The one model under all ways in: a command with its arguments and a caller go in, a result comes out.
///
/// Roles are checked here and nowhere else. A way in (terminal, socket, later web and chat) holds no rule of its own.
package struct CommandModel: Sendable {
    let service: any ServiceControl
    let now: @Sendable () -> Timestamp

    package init(service: any ServiceControl, now: @escaping @Sendable () -> Timestamp) {
        self.service = service
        self.now = now
    }

    /// Performs one command.
    ///
    /// Never throws: what goes wrong is a result with words.
    ///
    /// - Parameters:
    ///   - name: The command as it is typed: `pending`, `accept`.
    ///   - arguments: An object, or null for none.
    ///   - caller: Who asks, as the way in has recognised them.
    /// - Returns: The status, the data of the contract, and words where something was refused.
    package func perform(_ name: String, arguments: JSONValue, by caller: Caller) async -> CommandResult {
        guard let command = CommandTable.serviceCommand(named: name), let verb = command.verb else {
            return .badUsage("unknown command '\(name)'; this service knows \(Self.knownCommands)")
        }
        guard caller.may(verb.leastRole) else {
            let error =
                "'\(command.name)' needs the role \(verb.leastRole.rawValue); \(caller.name) has \(caller.role.rawValue)"
                + " (operators in the configuration)"
            return CommandResult(.refused, data: verb.refusal(arguments, error), error: error)
        }
        do {
            return try await verb.perform(self, arguments, caller)
        } catch let mistake as CommandArguments.Mistake {
            return .badUsage("\(command.name): \(mistake.text)")
        } catch {
            return .refused("\(command.name) failed: \(error)")
        }
    }

    private static var knownCommands: String {
        CommandTable.commands.filter { $0.verb != nil }.map(\.name).joined(separator: ", ")
    }

    func trustAgain(_ arguments: JSONValue, _ caller: Caller) async throws -> CommandResult {
        let arguments = try CommandArguments(arguments, known: ["account"])
        guard let account = try arguments.address("account") else {
            return .badUsage("account trust-again: 'account' is the account's address")
        }
        guard try await service.trustAgain(account, by: caller.name) else {
            return try await unknown(account) ?? .refused("\(account) is not running")
        }
        return CommandResult(data: .null)
    }

    func status() async throws -> JSONValue {
        let status = try await service.status()
        let configured = Set(status.accounts.map(\.jid))
        let others = try await service.waitingCounts().filter { !configured.contains($0.key) && $0.value > 0 }
        let rows = others.sorted { $0.key.description < $1.key.description }.map { jid, count in
            JSONValue.object(["jid": .address(jid), "pending": .integer(count)])
        }
        return status.json.adding("not_configured", .array(rows))
    }

    func pending(_ arguments: CommandArguments) async throws -> CommandResult {
        if arguments.has("ids") {
            return try await requests(arguments.requests("ids", limit: CommandTable.answerLimit))
        }
        let all = try arguments.flag("all")
        let account = try arguments.address("account")
        let after = try arguments.number("after", in: 0...Int.max, default: 0)
        // Ids are given in the order of arrival, so their order is oldest first, and a page goes on behind any of them.
        let rows = try await service.pending(all: all, account: account, after: Int64(after))
        if let account, rows.isEmpty, let refusal = try await unknown(account) { return refusal }
        let page = Page(rows[...], json: \.json)
        let next = page.isWhole ? nil : rows.dropFirst(page.count - 1).first
        return CommandResult(
            data: .array(page.values),
            next: next.map {
                .object(["all": .bool(all), "account": .address(account), "after": .integer($0.id)])
            }
        )
    }

    /// Requests by their numbers, with what a person wants to know before the answer.
    private func requests(_ references: [RequestReference]) async throws -> CommandResult {
        let accounts = try await accounts()
        var rows: [JSONValue] = []
        for reference in references {
            guard let row = try await service.request(id: reference.id) else {
                let error = AnswerReport.noRequest(reference.id)
                rows.append(
                    .missingRequest(reference.id).adding("last_seen_at", .null).adding("account_state", .null)
                        .adding("error", .string(error)))
                continue
            }
            rows.append(
                row.json.adding("last_seen_at", .time(row.lastSeenAt))
                    .adding("account_state", .text(accounts[row.account]?.state.rawValue)).adding("error", .null))
        }
        let page = Page(rows[...], json: \.self)
        let rest = references.dropFirst(page.count).map { JSONValue.string(String($0.id)) }
        let missing = page.values.compactMap { $0["error"]?.string }
        let error = missing.count > 1 ? "\(missing.count) of \(references.count) are not there" : missing.first
        return CommandResult(
            error == nil ? .done : .refused, data: .array(page.values), error: error,
            next: rest.isEmpty ? nil : .object(["ids": .array(rest)]))
    }

    private func accounts() async throws -> [BareJID: AccountStatus] {
        try await service.status().accounts.reduce(into: [:]) { $0[$1.jid] = $1 }
    }

    func history(_ arguments: CommandArguments) async throws -> CommandResult {
        let limit = try arguments.number("limit", in: 1...CommandTable.historyLimit + 1, default: 100)
        let account = try arguments.address("account")
        let rows = try await service.history(limit: limit, before: arguments.historyID("before"), account: account)
        if let account, rows.isEmpty, let refusal = try await neverThere(account) { return refusal }
        let page = Page(rows[...], json: \.json)
        let next = page.isWhole ? nil : rows.dropFirst(page.count - 1).first
        return CommandResult(
            data: .array(page.values),
            next: next.map {
                .object([
                    "limit": .integer(limit - page.count), "account": .address(account),
                    "before": .string(HistoryID.text($0.id)),
                ])
            }
        )
    }

    /// The refusal for an account that the service does not have and has no history of, which outlives the account.
    private func neverThere(_ account: BareJID) async throws -> CommandResult? {
        guard let refusal = try await unknown(account) else { return nil }
        return try await service.history(limit: 1, before: nil, account: account).isEmpty ? refusal : nil
    }

    /// The refusal for an account that the service does not have; nil where it does.
    func unknown(_ account: BareJID) async throws -> CommandResult? {
        let accounts = try await service.status().accounts
        guard !accounts.contains(where: { $0.jid == account }) else { return nil }
        let hint =
            suggestion(for: account.description, among: accounts.map(\.jid.description)).map { "did you mean '\($0)'?" }
            ?? "'doorward status' shows the accounts"
        return .refused("there is no account \(account); \(hint)")
    }

    func answer(
        _ arguments: CommandArguments, _ decision: Decision, steps: [OutboxStep.Kind], by caller: Caller
    ) async throws -> CommandResult {
        let answers = try arguments.requests("ids", limit: CommandTable.answerLimit).map {
            Answer(
                id: $0.id, version: $0.version, decision: decision, steps: steps, by: caller.name, reason: nil)
        }
        let outcomes = try await service.answer(answers)
        let accounts = try await accounts()
        let moment = now()
        let items = zip(outcomes, answers).map { outcome, answer in
            AnswerReport(outcome, seen: answer.version, at: moment, accounts: accounts)
        }
        let refusals = items.filter { $0.error != nil }.count
        guard refusals == 0 else {
            let error = items.count == 1 ? items.first?.error : "\(refusals) of \(items.count) were refused"
            return CommandResult(.refused, data: .array(items.map(\.json)), error: error)
        }
        return CommandResult(data: .array(items.map(\.json)))
    }

    func reloaded(_ outcome: ReloadOutcome) -> CommandResult {
        guard outcome.change == nil else { return CommandResult(data: outcome.json) }
        let count = outcome.faults.filter { $0.severity == .error }.count
        let errors = count == 1 ? "1 error" : "\(count) errors"
        return CommandResult(
            .usage,
            data: outcome.json,
            error: "the files have \(errors), so nothing changed; 'doorward check' shows them"
        )
    }
}
