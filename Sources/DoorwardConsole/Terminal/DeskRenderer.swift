package import XMPPCore

/// The answers of the desk's commands in words for people.
package struct DeskRenderer {
    private let now: Timestamp
    private let width: Int

    package init(now: Timestamp, width: Int) {
        self.now = now
        self.width = width
    }

    /// The most columns of a stranger's text in a list.
    private var textWidth: Int { max(20, min(width - 12, 200)) }

    // MARK: pending

    package func pending(_ data: JSONValue, all: Bool) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init)
        guard let first = rows.first else {
            return all
                ? ["No request was ever on the desk. 'doorward history' shows what the rules decided."]
                : [
                    "Nothing waits. What no rule decides will be here; 'doorward history' shows what was decided,"
                        + " 'doorward pending --all' what waited before."
                ]
        }
        let open = rows.filter { $0["state"] == "open" }
        var lines: [TerminalText] = [
            all
                ? "\(counted(rows.count, "request", "requests")) on the desk so far, \(open.count) of them open:"
                : "\(counted(rows.count, "request waits", "requests wait")):"
        ]
        for row in rows { lines += [""] + entry(row, all: all) }
        guard let example = open.first ?? (all ? nil : first), let id = example.number("id") else { return lines }
        lines += [
            "", "Answer with 'doorward accept \(id)' or 'doorward reject \(id)' (--block also blocks the sender).",
        ]
        return lines
    }

    private func entry(_ row: Row, all: Bool) -> [TerminalText] {
        let id: TerminalText = "\(row.number("id") ?? 0)"
        let seen = row.number("seen_count") ?? 1
        var head: TerminalText =
            "\(id.padded(to: 5, right: true).styled(.bold))  \(TerminalText(row["contact"]).styled(.bold))"
        head += " asks to add \(row["account"])"
        var second: TerminalText = "       \(row.age("received_at", at: now)) ago"
        if seen > 1 { second += ", delivered \(seen) times" }
        if let version = row.number("version"), version > 1 { second += ", version \(version)" }
        if row.has("rule") { second += ", by the rule \"\(cut(row["rule"], to: 60))\"" }
        if row.has("policy") { second += " of \(row["policy"])" }
        var lines = [head, second.styled(.dim)]
        if row.has("nickname") { lines.append("       calls itself \(cut(row["nickname"], to: min(textWidth, 60)))") }
        if row.has("message") { lines.append("       \"\(cut(row["message"], to: textWidth))\"") }
        if all { lines.append("       " + state(row["state"])) }
        return lines
    }

    // MARK: accept, reject

    /// One line a request that was answered; refusals are `refusals(_:)`.
    package func answered(_ data: JSONValue, accepted: Bool) -> [TerminalText] {
        (data.array ?? []).map(Row.init).filter { !$0.has("error") }.map { row in
            let verb: TerminalText = accepted ? "Accepted" : "Rejected"
            let contact = TerminalText(row["contact"]).styled(.bold)
            let when: TerminalText =
                switch row["account_state"] {
                case "online": "The answer goes out now."
                case "": "The answer goes out when the account is online."
                default: "The answer goes out when the account is online (now: \(row["account_state"]))."
                }
            return "\(verb.styled(accepted ? .good : .warning)) \(contact) for \(row["account"]). \(when)"
        }
    }

    /// Why requests were refused, one line each, for standard error.
    package func refusals(_ data: JSONValue) -> [TerminalText] {
        (data.array ?? []).map(Row.init).filter { $0.has("error") }.map { TerminalText($0["error"]) }
    }

    // MARK: history

    package func history(_ data: JSONValue, limit: Int) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init)
        guard let last = rows.last else {
            return ["Nothing was decided yet. Requests that the rules or a person answer will be here."]
        }
        var table = Table([
            .init("ID"), .init("AGO", .number), .init("REQ", .number), .init("CONTACT", .address, least: 16),
            .init("ACCOUNT", .address, least: 14), .init("DECISION"), .init("BY", least: 10), .init("STATE"),
        ])
        for row in rows {
            let decision = row.has("decision") ? row["decision"] : row["event"]
            table.add(
                [
                    row["id"], row.age("at", at: now), row.number("request").map { String($0) } ?? "", row["contact"],
                    row["account"], decision, who(row), row["state"].replacing("_", with: " "),
                ],
                styles: [5: style(ofDecision: decision)]
            )
        }
        var lines = table.lines(width: width)
        for row in rows where row.has("reason") { lines.append("\(row["id"]): \(cut(row["reason"], to: textWidth))") }
        if rows.count >= limit {
            lines += ["", "Older rows: 'doorward history --before \(last["id"])'."]
        }
        return lines
    }

    private func who(_ row: Row) -> String {
        if row.has("operator") { return row["operator"] }
        if row["by"] == "rule" { return "rule " + row["rule"] }
        return row["by"].replacing("_", with: " ")
    }

    private func style(ofDecision decision: String) -> TerminalText.Style {
        switch decision {
        case "accept": .good
        case "reject": .warning
        default: .plain
        }
    }

    private func state(_ state: String) -> TerminalText {
        let words = TerminalText(state.replacing("_", with: " "))
        return switch state {
        case "open": words.styled(.warning)
        case "accepted": words.styled(.good)
        default: words
        }
    }
}
