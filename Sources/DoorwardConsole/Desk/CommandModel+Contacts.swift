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
        let report = ContactReport(account: account, contact: contact, outcome: outcome, state: state)
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

extension CommandArguments {
    func account() throws(Mistake) -> BareJID {
        guard let account = try address("account") else { throw Mistake(text: "'account' is the account's address") }
        return account
    }

    /// A text that can be sent; an empty one is none.
    func text(_ name: String, limit: Int = 1023) throws(Mistake) -> String? {
        guard has(name) else { return nil }
        guard let text = value(name)?.string else { throw Mistake(text: "'\(name)' is a text") }
        return text.isEmpty ? nil : try Self.checked(text, name, limit)
    }

    /// Groups, each once.
    func groups(_ name: String) throws(Mistake) -> [String] {
        guard has(name) else { return [] }
        guard let values = value(name)?.array else { throw Mistake(text: "'\(name)' is a list of groups") }
        guard values.count <= CommandTable.groupLimit else {
            throw Mistake(text: "at most \(CommandTable.groupLimit) groups in one command")
        }
        var groups: [String] = []
        for value in values {
            guard let text = value.string, !text.allSatisfy(\.isWhitespace) else {
                throw Mistake(text: "a group has a name")
            }
            let group = try Self.checked(text, name, 1023)
            if !groups.contains(where: { $0.utf8.elementsEqual(group.utf8) }) { groups.append(group) }
        }
        return groups
    }

    /// What XML cannot carry (XML 1.0 section 2.2) must not end the stream.
    private static func checked(_ text: String, _ name: String, _ limit: Int) throws(Mistake) -> String {
        guard text.utf8.count <= limit else { throw Mistake(text: "'\(name)' has at most \(limit) bytes") }
        let isGood = text.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0xFFFE && $0.value != 0xFFFF
        }
        guard isGood else { throw Mistake(text: "'\(name)' has a control character in it") }
        return text
    }
}
