package import XMPPCore

/// The answers of the commands about contacts in words for people.
package struct ContactRenderer {
    let now: Timestamp
    let width: Int

    package init(now: Timestamp, width: Int) {
        self.now = now
        self.width = width
    }

    // MARK: roster

    /// The contacts of an account; `isPart` where only some of them were asked for.
    package func roster(_ data: JSONValue, account: String, isPart: Bool = false) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init)
        guard !rows.isEmpty else {
            return [isPart ? "\(account) has no such contact." : "\(account) has no contacts yet."]
        }
        let saysMore = rows.contains { $0.has("status") }
        var table = Table(
            [
                .init("CONTACT", .address), .init("NAME"), .init("SUBSCRIPTION", least: 12), .init("SEEN"),
                .init("GROUPS"),
            ] + (saysMore ? [.init("STATUS")] : []))
        for row in rows {
            table.add(
                [
                    row.contact("jid"), row["name"], subscription(row), seen(row),
                    row.strings("groups").joined(separator: ", "), row["status"],
                ], styles: [3: row["presence"] == "available" ? .good : .plain])
        }
        return [head(rows, "contact", "contacts", of: account), ""] + table.lines(width: width)
    }

    func head(
        _ rows: [Row], _ one: TerminalText, _ more: TerminalText, of account: String
    ) -> TerminalText {
        "\(counted(rows.count, one, more)) of \(account)" + asOf(rows)
    }

    /// How old it is, and a colon.
    private func asOf(_ rows: [Row]) -> TerminalText {
        guard let first = rows.first, first.has("as_of") else { return ":" }
        return ", as it was \(first.age("as_of", at: now)) ago, when the account was last online:"
    }

    private func subscription(_ row: Row) -> String {
        row["subscription"] + (row.flag("asked") ? ", asked" : "") + (row.flag("approved") ? ", approved" : "")
    }

    private func seen(_ row: Row) -> String {
        if row["presence"] == "available" {
            let show = row.has("show") && row["show"] != "online" ? ", " + row["show"] : ""
            return "now" + show + (row.has("idle_since") ? ", idle for \(row.age("idle_since", at: now))" : "")
        }
        return ago(row, "last_seen")
    }

    private func ago(_ row: Row, _ name: String) -> String { row.has(name) ? row.age(name, at: now) + " ago" : "-" }

    // MARK: contact list

    package func list(_ data: JSONValue, account: String, asked: Bool, gone: Bool) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init)
        if gone { return self.gone(rows, account) }
        if asked { return self.asked(rows, account) }
        guard !rows.isEmpty else {
            return ["\(account) has no contacts yet. 'doorward contact add \(account) CONTACT' adds one."]
        }
        var table = Table([
            .init("CONTACT", .address), .init("SUBSCRIPTION", least: 12), .init("KNOWN"), .init("ADDED BY", least: 10),
            .init("SEEN"), .init("WROTE"), .init("WE WROTE"),
        ])
        for row in rows {
            table.add([
                row.contact("jid"), subscription(row), row.has("first_known") ? row.age("first_known", at: now) : "-",
                origin(row), ago(row, "last_presence"), ago(row, "last_message_in"), ago(row, "last_message_out"),
            ])
        }
        return [head(rows, "contact", "contacts", of: account), ""] + table.lines(width: width) + refusals(rows)
    }

    private func asked(_ rows: [Row], _ account: String) -> [TerminalText] {
        guard !rows.isEmpty else { return ["\(account) waits for nobody's answer."] }
        var table = Table([
            .init("CONTACT", .address), .init("NAME"), .init("ASKED"), .init("BY", least: 10),
        ])
        for row in rows {
            table.add(
                [
                    row.contact("jid"), row["name"], isRefused(row) ? "refused" : ago(row, "asked_at"), origin(row),
                ], styles: [2: isRefused(row) ? .bad : .plain])
        }
        return [askedHead(rows, account), ""]
            + table.lines(width: width) + refusals(rows)
            + ["", "Silence may mean that there is nobody. 'doorward contact remove \(account) CONTACT' gives up."]
    }

    /// Those who were refused wait for nothing any more, and are counted by themselves.
    private func askedHead(_ rows: [Row], _ account: String) -> TerminalText {
        let refused = rows.count(where: isRefused)
        let waiting = rows.count - refused
        var parts: [TerminalText] = []
        if waiting > 0 { parts.append("\(counted(waiting, "contact has", "contacts have")) not answered") }
        if refused > 0 { parts.append("\(counted(refused, "request was", "requests were")) refused") }
        let words = parts.dropFirst().reduce(parts.first ?? "") { "\($0), \($1)" }
        return "\(account): \(words)" + asOf(rows)
    }

    private func isRefused(_ row: Row) -> Bool { row.has("refusal") && !row.flag("asked") }

    private func refusals(_ rows: [Row]) -> [TerminalText] {
        rows.filter { $0.has("refusal") }.map { row in
            let state: TerminalText =
                isRefused(row)
                ? "is not asked any more"
                : "could not be reached yet, and is asked again once an hour and at each login"
            return "\(row["jid"]) \(state): \(cut(row["refusal"], to: max(60, width)))"
                + " (\(row.age("refused_at", at: now)) ago)"
        }
    }

    private func gone(_ rows: [Row], _ account: String) -> [TerminalText] {
        guard !rows.isEmpty else { return ["No contact of \(account) has gone since doorward keeps them."] }
        var table = Table([
            .init("CONTACT", .address), .init("NAME"), .init("WAS"), .init("GONE"), .init("BY", least: 10),
        ])
        for row in rows {
            let name = row["removed_by_name"]
            table.add([
                row.contact("jid"), row["name"], subscription(row), ago(row, "removed_at"),
                name.isEmpty ? row["removed_by"].replacing("_", with: " ") : name,
            ])
        }
        let head: TerminalText = "\(counted(rows.count, "contact", "contacts")) of \(account) that were:"
        return [head, ""] + table.lines(width: width)
    }

    private func origin(_ row: Row) -> String {
        let name = row["added_by_name"]
        switch row["added_by"] {
        case "rule": return name.isEmpty ? "a rule" : "rule " + name
        case "invitation": return name.isEmpty ? "an invitation" : "invitation of " + name
        case "operator", "contact_add": return name.isEmpty ? "an operator" : name
        case "roster_exchange": return name.isEmpty ? "a suggestion" : name
        case "other_client": return "another client"
        case "before": return "before us"
        case let other: return other.isEmpty ? "-" : other
        }
    }

    // MARK: contact add, rename, group, unsubscribe, revoke, remove

    package func added(_ data: JSONValue) -> [TerminalText] {
        let row = Row(data)
        let (account, contact) = (row["account"], TerminalText(row.contact("contact")).styled(.bold))
        var lines: [TerminalText] =
            if row["outcome"] == "approved" {
                [
                    row.flag("unchanged")
                        ? "\(contact) may add \(account) without being asked about already: nothing was sent."
                        : "\(TerminalText("Approved").styled(.good)) \(contact) for \(account): it may add the account"
                            + " without being asked about, once. It was not asked again.",
                    "To take that back: 'doorward contact remove \(account) \(row["contact"])'.",
                ]
            } else if row.has("delayed") {
                [
                    "\(TerminalText("Added").styled(.good)) \(contact) to \(account). Its server could not be reached yet:"
                        + " \(cut(row["delayed"], to: max(60, width))).",
                    "It is asked again once an hour and at each login: 'doorward contact list \(account) --asked'.",
                ]
            } else if row["subscription"] == "to" || row["subscription"] == "both" {
                ["\(TerminalText("Added").styled(.good)) \(contact) to \(account): it has answered already."]
            } else {
                [
                    "\(TerminalText("Asked").styled(.good)) \(contact) for \(account). It may answer or not; silence may"
                        + " mean that there is nobody of that address.",
                    "How long it has not answered: 'doorward contact list \(account) --asked'.",
                ]
            }
        if let request = row.number("request") {
            lines.append("It asks to add the account itself: 'doorward pending \(request)'.")
        }
        return lines
    }

    package func changed(_ data: JSONValue) -> [TerminalText] {
        let row = Row(data)
        let groups = row.strings("groups")
        let name: TerminalText = row.has("name") ? "“\(row["name"])”" : "no name"
        let places: TerminalText = groups.isEmpty ? "no group" : "\(groups.joined(separator: ", "))"
        let contact = TerminalText(row.contact("contact")).styled(.bold)
        let state: TerminalText = row.flag("unchanged") ? "was so already, and nothing was sent" : "is now"
        return ["\(contact) of \(row["account"]) \(state): \(name), in \(places)."]
    }

    package func unsubscribed(_ data: JSONValue) -> [TerminalText] {
        let row = Row(data)
        let (account, contact) = (row["account"], TerminalText(row.contact("contact")).styled(.bold))
        if row.flag("unchanged") { return ["\(account) neither sees \(contact) nor asks to, and nothing was sent."] }
        let rest: TerminalText = row["subscription"] == "from" ? ", and still sees the account" : ""
        return ["\(account) does not see \(contact) any more, which stays in the list\(rest)."]
    }

    package func revoked(_ data: JSONValue) -> [TerminalText] {
        let row = Row(data)
        let (account, contact) = (row["account"], TerminalText(row.contact("contact")).styled(.bold))
        if row.flag("unchanged") { return ["\(contact) does not see \(account), and nothing was sent."] }
        let rest: TerminalText = row["subscription"] == "to" ? ", and is still seen by it" : ""
        return ["\(contact) does not see \(account) any more, stays in the list\(rest), and may ask again."]
    }

    package func removed(_ data: JSONValue) -> [TerminalText] {
        let row = Row(data)
        let contact = TerminalText(row.contact("contact")).styled(.bold)
        let request: TerminalText = row.number("request").map { " Its request \($0) is refused." } ?? ""
        return ["\(TerminalText("Removed").styled(.warning)) \(contact) from \(row["account"]).\(request)"]
    }
}
