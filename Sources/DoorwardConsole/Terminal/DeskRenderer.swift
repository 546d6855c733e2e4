package import XMPPCore

/// The answers of the desk's commands in words for people.
package struct DeskRenderer {
    /// The most lines of one text in a list; `doorward pending ID` shows it whole.
    private static let linesOfText = 8
    /// The columns of a text in a list that goes to a file or a pipe: strangers do not decide how long the list is.
    private static let columnsOfText = 88

    private let now: Timestamp
    private let width: Int

    package init(now: Timestamp, width: Int) {
        self.now = now
        self.width = width
    }

    private var isBounded: Bool { width < Output.unbounded }
    /// The columns of a stranger's text below its request.
    private var textWidth: Int { max(20, width - 12) }

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
        return lines + ["", howToAnswer(id)]
    }

    /// Requests that were asked for by number: each with all that is known of it, and its text whole.
    package func requests(_ data: JSONValue) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init).filter { !$0.has("error") }
        var lines: [TerminalText] = []
        for row in rows { lines += (lines.isEmpty ? [] : [""]) + whole(row) }
        guard let open = rows.first(where: { $0["state"] == "open" }), let id = open.number("id") else { return lines }
        return lines + ["", howToAnswer(id)]
    }

    private func howToAnswer(_ id: Int64) -> TerminalText {
        "Answer with 'doorward accept \(id)' or 'doorward reject \(id)' (--block also blocks the sender)."
    }

    private func head(_ row: Row) -> TerminalText {
        let id: TerminalText = "\(row.number("id") ?? 0)"
        return "\(id.padded(to: 5, right: true).styled(.bold))  \(TerminalText(row.contact("contact")).styled(.bold))"
            + " asks to add \(row["account"])"
    }

    private func entry(_ row: Row, all: Bool) -> [TerminalText] {
        let seen = row.number("seen_count") ?? 1
        var second: TerminalText = "       \(row.age("received_at", at: now)) ago"
        if seen > 1 { second += ", delivered \(seen) times" }
        if let version = row.number("version"), version > 1 { second += ", version \(version)" }
        second += rule(row)
        var lines = [head(row), second.styled(.dim)]
        if row.has("nickname") {
            lines.append("       calls itself \(cut(row["nickname"], to: min(textWidth, 60)))")
        }
        lines += introduction(row)
        if row.has("message") {
            let columns = isBounded ? textWidth : Self.columnsOfText
            lines += text(row["message"], width: columns, limit: Self.linesOfText, id: row.number("id") ?? 0)
        }
        if all { lines.append("       " + state(row["state"])) }
        return lines
    }

    private func whole(_ row: Row) -> [TerminalText] {
        let version = row.number("version") ?? 1
        let seen = row.number("seen_count") ?? 1
        let account: TerminalText =
            row.has("account_state") ? "the account is \(row["account_state"])" : "the account is not configured"
        var delivered: TerminalText = "       delivered \(counted(Int(clamping: seen), "time", "times"))"
        if row.has("last_seen_at") { delivered += ", last at \(row["last_seen_at"])" }
        var lines = [
            head(row),
            "       " + state(row["state"]) + ", version \(version); \(account)",
            "       received at \(row["received_at"]), \(row.age("received_at", at: now)) ago" + rule(row),
            delivered,
        ]
        if row.has("nickname") {
            let name = WrappedText(row["nickname"], width: max(20, textWidth - 13)).lines
            lines += name.enumerated().map { ($0.offset == 0 ? "       calls itself " : .blanks(20)) + $0.element }
        }
        lines += introduction(row)
        lines += row.has("message") ? text(row["message"], width: textWidth) : ["       without a text"]
        return lines
    }

    /// What it brings beside its text.
    private func introduction(_ row: Row) -> [TerminalText] { [moved(row), shown(row)].compactMap(\.self) }

    /// The invitation that it shows, where that did not let it in.
    private func shown(_ row: Row) -> TerminalText? {
        let invitation: TerminalText = row.number("invitation").map { "invitation \($0)" } ?? "an invitation"
        switch row["token"] {
        case "expired": return "       shows \(invitation), which has expired"
        case "used_up": return "       shows \(invitation), which is used up"
        case "revoked": return "       shows \(invitation), which was revoked"
        case "other_contact": return "       shows \(invitation), which is for another address"
        case "other_account": return "       shows \(invitation), which is for another account"
        case "unknown": return "       shows an invitation that was not made here"
        case "valid": return "       shows \(invitation)"
        case _: return nil
        }
    }

    /// A contact's new address (XEP-0283), or what only the one who asks says is one.
    private func moved(_ row: Row) -> TerminalText? {
        guard row.has("moved_from") else { return nil }
        let old = row.contact("moved_from")
        guard row["moved"] == "verified" else {
            return "       says it was \(old), which is a contact; nobody else says so"
        }
        return "       " + ("verified move of \(old)" as TerminalText).styled(.good)
            + ", whom an accept no longer lets see the account"
    }

    private func rule(_ row: Row) -> TerminalText {
        let policy: TerminalText = row.has("policy") ? " of \(row["policy"])" : ""
        if row.has("rule") { return ", by the rule '\(cut(row["rule"], to: isBounded ? 60 : width))'" + policy }
        return row.has("policy") ? ", no rule" + policy + " decided" : ""
    }

    /// A stranger's text between quotes, each line below the one before.
    private func text(_ value: String, width: Int, limit: Int = .max, id: Int64 = 0) -> [TerminalText] {
        let text = WrappedText(value, width: width, limit: limit)
        var lines = text.lines.enumerated().map { (index, line) -> TerminalText in
            (index == 0 ? "       “" : "        ") + line
                + (index == text.lines.count - 1 && text.left == 0 ? "”" : "")
        }
        if text.left > 0 {
            lines.append(
                "        … (\(counted(text.left, "more character", "more characters")): 'doorward pending \(id)')")
        }
        return lines
    }

    // MARK: accept, reject

    /// One line a request that was answered; refusals are `refusals(_:)`.
    package func answered(_ data: JSONValue, accepted: Bool, blocked: Bool = false) -> [TerminalText] {
        (data.array ?? []).map(Row.init).filter { !$0.has("error") }.map { row in
            let verb: TerminalText = accepted ? "Accepted" : "Rejected"
            let contact = TerminalText(row.contact("contact")).styled(.bold)
            let block: TerminalText = blocked ? ", and blocks the sender" : ""
            let when: TerminalText =
                switch row["account_state"] {
                case _ where row["account_mode"] == "observe":
                    "This account only observes: the answer waits until its mode is 'enforce'."
                case "online": "The answer goes out now."
                case "": "This account is not configured: the answer waits until it is again."
                default: "The answer goes out when the account is online (now: \(row["account_state"]))."
                }
            return "\(verb.styled(accepted ? .good : .warning)) \(contact) for \(row["account"])\(block). \(when)"
        }
    }

    /// Why requests were refused, one line each, for standard error.
    package func refusals(_ data: JSONValue) -> [TerminalText] {
        (data.array ?? []).map(Row.init).filter { $0.has("error") }.map { TerminalText($0["error"]) }
    }

    // MARK: history

    /// A page of the history.
    ///
    /// - Parameters:
    ///   - data: The rows, with one more than `limit` where there are older ones.
    ///   - limit: The rows of a page.
    ///   - isLater: Whether it is a page behind another one.
    ///   - flags: What asks for the next page in the same way, such as `--account a@b.example`; with a blank before it.
    /// - Returns: The lines.
    package func history(
        _ data: JSONValue, limit: Int, isLater: Bool = false, flags: String = ""
    ) -> [TerminalText] {
        let all = (data.array ?? []).map(Row.init)
        let rows = all.prefix(limit)
        guard let last = rows.last else {
            return isLater
                ? ["No older rows."]
                : ["Nothing was decided yet. Requests that the rules or a person answer will be here."]
        }
        var table = Table([
            .init("ID"), .init("AGO", .number), .init("REQ", .number), .init("CONTACT", .address),
            .init("ACCOUNT", .address), .init("DECISION"), .init("BY", least: 10), .init("STATE"),
        ])
        for row in rows {
            let decision =
                row.has("action")
                ? (row["action"].hasSuffix("block") ? "" : "contact ") + row["action"]
                : row.has("decision") ? row["decision"] : row["event"]
            table.add(
                [
                    row["id"], row.age("at", at: now), row.number("request").map { String($0) } ?? "",
                    row.contact("contact"), row["account"], decision, who(row), row["state"].replacing("_", with: " "),
                ],
                styles: [5: style(ofDecision: decision)]
            )
        }
        var lines = table.lines(width: width)
        for row in rows where row.has("reason") { lines.append("\(row["id"]): \(cut(row["reason"], to: textWidth))") }
        if all.count > rows.count {
            lines += ["", "Older rows: 'doorward history --before \(last["id"])\(flags)'."]
        }
        return lines
    }

    private func who(_ row: Row) -> String {
        if row.has("operator") { return row["operator"] }
        if row.has("suggested_by") { return row["suggested_by"] }
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
