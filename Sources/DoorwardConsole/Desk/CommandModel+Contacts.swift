import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// The commands about contacts.
extension CommandModel {
    func roster(_ arguments: JSONValue) async throws -> CommandResult {
        let arguments = try CommandArguments(arguments, known: ["account", "search", "group", "sort", "skip"])
        let account = try arguments.account()
        var selection = RosterSelection()
        selection.search = try arguments.text("search")
        selection.group = try arguments.text("group")
        // Without a name it would narrow nothing.
        if arguments.has("group"), selection.group == nil { return .badUsage("roster: a group has a name") }
        if let word = try arguments.text("sort") {
            guard let order = RosterSelection.Order(rawValue: word) else {
                return .badUsage("roster: 'sort' is address, name or presence")
            }
            selection.order = order
        }
        guard let roster = try await service.roster(of: account) else { return try await noRoster(account) }
        return try page(selection.items(of: roster), arguments) { $0.json(asOf: roster.asOf) }
    }

    func contact(
        _ arguments: CommandArguments, _ order: ContactOrder, _ caller: Caller
    ) async throws -> CommandResult {
        let account = try arguments.account()
        guard let contact = try arguments.address("contact") else {
            return .badUsage("'contact' is the contact's address")
        }
        let outcome = try await service.change(order, of: contact, on: account, by: caller.name)
        if outcome == .unknownAccount, let refusal = try await unknown(account) { return refusal }
        let state = try await service.status().accounts.first { $0.jid == account }?.state
        var report = ContactReport(account: account, contact: contact, outcome: outcome, state: state)
        if outcome == .unanswered, case .add = order {
            // The item may be set, and the request lost behind it.
            report.there = try await service.roster(of: account)?.items.first { $0.jid == contact }
        }
        return CommandResult(report.error == nil ? .done : .refused, data: report.json, error: report.error)
    }

    func contacts(_ arguments: JSONValue) async throws -> CommandResult {
        let arguments = try CommandArguments(arguments, known: ["account", "asked", "gone", "skip"])
        let account = try arguments.account()
        if try arguments.flag("gone") {
            guard let gone = try await service.goneContacts(of: account, limit: 10_000) else {
                return try await noRoster(account)
            }
            return try page(gone, arguments) { $0.json }
        }
        guard let roster = try await service.roster(of: account) else { return try await noRoster(account) }
        guard try arguments.flag("asked") else {
            return try page(roster.items, arguments) { $0.evidenceJSON(asOf: roster.asOf) }
        }
        func since(_ item: RosterSnapshot.Item) -> Int64 { item.evidence?.askedAt?.milliseconds ?? .max }
        // Those who were refused stay in the list until they are removed or asked anew.
        let asked = roster.items.filter { $0.asked || $0.evidence?.refusal != nil }.sorted { since($0) < since($1) }
        return try page(asked, arguments) { $0.evidenceJSON(asOf: roster.asOf) }
    }

    private func noRoster(_ account: BareJID) async throws -> CommandResult {
        if let refusal = try await unknown(account) { return refusal }
        return .refused("nothing is known of the contacts of \(account) yet: the list comes with its first login")
    }

    /// As many as go into one answer; the rest is asked for by how many there were.
    private func page<Source>(
        _ items: [Source], _ arguments: CommandArguments, json: (Source) -> JSONValue
    ) throws(CommandArguments.Mistake) -> CommandResult {
        let skip = try arguments.number("skip", in: 0...Int.max, default: 0)
        let page = Page(items.dropFirst(skip), json: json)
        let next = page.isWhole ? nil : arguments.object.adding("skip", .integer(skip + page.count))
        return CommandResult(data: .array(page.values), next: next)
    }
}
