import DoorwardRuntime
import DoorwardStore
import XMPPCore
import XMPPModules

/// `block add`, `block remove` and `block list`.
extension CommandModel {
    func block(_ arguments: JSONValue, _ caller: Caller) async throws -> CommandResult {
        let arguments = try CommandArguments(arguments, known: ["account", "items", "report", "text"])
        let (account, items) = try blocked(arguments)
        // The account would be cut off from itself, or from its server.
        if let own = items.first(where: { $0.bare == account || $0.bare == account.server }) {
            return .refused("\(own) is the account itself or its own server, which cannot be blocked")
        }
        let reason = try arguments.word("report", of: SpamReport.Reason.self)
        let text = try arguments.text("text", limit: SpamReport.textLimit)
        guard reason != nil || text == nil else {
            return .badUsage("block add: a text is that of a report: say --report spam or --report abuse too")
        }
        let report = reason.map { SpamReport($0, text: text) }
        guard let done = try await service.block(account, items, report: report, by: caller.name) else {
            return try await unknown(account) ?? .refused("\(account) is not running")
        }
        let data = JSONValue.object([
            "account": .address(account), "blocked": .strings(done.outcome == .done ? items.map(\.description) : []),
            "report": .text(reason?.rawValue), "covered": .array(done.covered.map { .integer($0.id) }),
            "outcome": .string(done.outcome.word),
        ])
        return result(data, done.outcome, account)
    }

    func unblock(_ arguments: JSONValue, _ caller: Caller) async throws -> CommandResult {
        let (account, items) = try blocked(CommandArguments(arguments, known: ["account", "items"]))
        guard let list = await service.blockList(of: account) else { return try await noBlockList(account) }
        // A typing error would change nothing, and nobody would know.
        if let missing = items.first(where: { !list.items.contains($0) }) {
            let wider = list.entry(for: missing).map { "; \($0) covers it" } ?? ""
            return .refused(
                "\(missing) is not on the block list of \(account)\(wider): 'doorward block list \(account)'")
        }
        guard let outcome = try await service.unblock(account, items, by: caller.name) else {
            return try await unknown(account) ?? .refused("\(account) is not running")
        }
        let data = JSONValue.object([
            "account": .address(account), "unblocked": .strings(outcome == .done ? items.map(\.description) : []),
            "outcome": .string(outcome.word),
        ])
        return result(data, outcome, account)
    }

    func blockList(_ arguments: JSONValue) async throws -> CommandResult {
        let arguments = try CommandArguments(arguments, known: ["account", "after"])
        guard let account = try arguments.address("account") else {
            return .badUsage("block list: 'account' is the account's address")
        }
        guard let list = await service.blockList(of: account) else { return try await noBlockList(account) }
        let after = try arguments.text("after", limit: 4096).map { Array($0.utf8) } ?? []
        let rows = list.items.map { (item: $0, text: Array($0.description.utf8)) }
            .filter { after.lexicographicallyPrecedes($0.text) }
            .sorted { $0.text.lexicographicallyPrecedes($1.text) }.map(\.item)
        let page = Page(rows[...], json: \.blockJSON)
        let next = page.isWhole ? nil : rows.dropFirst(page.count - 1).first
        return CommandResult(
            data: .array(page.values),
            next: next.map { .object(["account": .address(account), "after": .string($0.description)]) })
    }

    private func blocked(_ arguments: CommandArguments) throws -> (account: BareJID, items: [JID]) {
        guard let account = try arguments.address("account") else {
            throw CommandArguments.Mistake(text: "'account' is the account's address")
        }
        return (account, try arguments.addresses("items", limit: CommandTable.blockLimit))
    }

    private func noBlockList(_ account: BareJID) async throws -> CommandResult {
        try await unknown(account)
            ?? .refused("\(account) has no block list at the moment: it is not online, or its server knows no blocking")
    }

    private func result(_ data: JSONValue, _ outcome: OrderOutcome, _ account: BareJID) -> CommandResult {
        switch outcome {
        case .done: CommandResult(data: data)
        case .offline:
            CommandResult(
                .refused, data: data, error: "\(account) is not online; try again when 'doorward status' says so")
        case .notOffered:
            CommandResult(.refused, data: data, error: "the server of \(account) knows no blocking (XEP-0191)")
        case .refused(let why):
            CommandResult(.refused, data: data, error: "the server of \(account) refused: \(why)")
        case .noReply:
            CommandResult(
                .refused, data: data,
                error: "the server of \(account) did not answer: what is not done is finished when the account is"
                    + " online again, and 'doorward history' says so")
        }
    }
}

extension JID {
    /// An object of `block list`; `covers` is `contact`, `resource` or `domain`.
    fileprivate var blockJSON: JSONValue {
        let covers = resource != nil ? "resource" : bare.local != nil ? "contact" : "domain"
        return .object(["jid": .string(description), "covers": .string(covers)])
    }
}
