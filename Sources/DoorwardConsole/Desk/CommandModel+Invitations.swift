import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// `invite`, `invite list` and `invite revoke`.
extension CommandModel {
    func invite(_ arguments: JSONValue, _ caller: Caller) async throws -> CommandResult {
        let arguments = try CommandArguments(arguments, known: ["account", "name", "for", "uses", "expires", "server"])
        guard let account = try arguments.address("account") else {
            return .badUsage("invite: 'account' is the account's address")
        }
        let contact = try arguments.address("for")
        guard contact != account else { return .refused("\(account) cannot invite itself") }
        let name = try arguments.contactName()
        let uses = try arguments.number("uses", in: InvitationOrder.uses, default: 1)
        let expires = try arguments.text("expires", limit: 32)
        let seconds = expires.map { DurationText.seconds($0, in: InvitationOrder.seconds) }
        // An empty duration is a mistake, not the usual one.
        let usual: Int? = arguments.has("expires") ? nil : InvitationOrder.usualSeconds
        guard let seconds = seconds ?? usual else {
            return .badUsage("invite: 'expires' is a duration from 1m to 366d, such as 12h or 7d")
        }
        let order = InvitationOrder(
            account: account, name: name, contact: contact, uses: uses,
            seconds: seconds, asksServer: try arguments.flag("server"))
        switch try await service.invite(order, by: caller.name) {
        case .made(let made):
            let data = made.row.json(at: now()).adding("uri", .string(made.uri)).adding("token", .string(made.token))
                .adding("landing_url", .text(made.page)).adding("registers", .bool(made.registers))
                .adding("server", .text(made.server?.word)).adding("server_error", .text(made.server?.refusal))
            return CommandResult(data: data)
        case .tooMany:
            return .refused(
                "\(account) has \(Store.invitationLimit) invitations that are valid: 'doorward invite revoke' some")
        case .noAccount:
            return try await unknown(account) ?? .refused("\(account) is not running")
        }
    }

    func invitations(_ arguments: JSONValue) async throws -> CommandResult {
        let arguments = try CommandArguments(arguments, known: ["account", "all", "before"])
        let account = try arguments.address("account")
        let all = try arguments.flag("all")
        let before = Int64(try arguments.number("before", in: 0...Int.max, default: .max))
        let moment = now()
        let rows = try await service.invitations(of: account, before: before)
        if let account, rows.isEmpty, let refusal = try await unknown(account) { return refusal }
        let shown = rows.filter { all || $0.state(at: moment) == .valid }
        let page = Page(shown[...]) { $0.json(at: moment) }
        let next = page.isWhole ? nil : shown.dropFirst(page.count - 1).first
        return CommandResult(
            data: .array(page.values),
            next: next.map {
                .object(["account": .address(account), "all": .bool(all), "before": .integer($0.id)])
            })
    }

    func revokeInvitations(_ arguments: JSONValue, _ caller: Caller) async throws -> CommandResult {
        let references = try CommandArguments(arguments, known: ["ids"])
            .requests("ids", limit: CommandTable.answerLimit)
        let moment = now()
        var rows: [JSONValue] = []
        var errors: [String] = []
        for reference in references {
            let outcome = try await service.revokeInvitation(reference.id, by: caller.name)
            let (row, error): (InvitationRow?, String?) =
                switch outcome {
                case .done(let row): (row, nil)
                case .ended(let row): (row, "\(row.id) lets nobody in anyway: it is \(row.state(at: moment).rawValue)")
                case .notFound(let id): (nil, "there is no invitation \(id); 'doorward invite list' shows them")
                }
            let object = row?.json(at: moment) ?? .object(["id": .integer(reference.id)])
            rows.append(object.adding("error", .text(error)))
            if let error { errors.append(error) }
        }
        let error = errors.count > 1 ? "\(errors.count) of \(references.count) were not revoked" : errors.first
        return CommandResult(error == nil ? .done : .refused, data: .array(rows), error: error)
    }
}

extension InvitationRow {
    /// An object of `invite list`; `for` is null where anybody may use it.
    func json(at moment: Timestamp) -> JSONValue {
        .object([
            "id": .integer(id), "account": .address(account), "name": .text(name), "for": .address(contact),
            "uses": .integer(uses), "uses_left": .integer(max(0, uses - used)), "made_by": .string(madeBy),
            "made_at": .time(madeAt), "expires_at": .time(expiresAt), "state": .string(state(at: moment).rawValue),
            "revoked_by": .text(revokedBy), "revoked_at": .time(revokedAt),
        ])
    }
}

extension OrderOutcome {
    /// What the server said against it; nil where it said nothing.
    fileprivate var refusal: String? {
        guard case .refused(let text) = self else { return nil }
        return text
    }
}
