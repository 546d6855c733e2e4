package import XMPPCore

/// The answers of the commands about the service and its accounts in words for people.
package struct ServiceRenderer {
    private let now: Timestamp
    private let width: Int

    package init(now: Timestamp, width: Int) {
        self.now = now
        self.width = width
    }

    // MARK: status

    package func status(_ data: JSONValue) -> [TerminalText] {
        let status = Row(data)
        let accounts = status.rows("accounts")
        let online = accounts.filter { $0["state"] == "online" }.count
        var lines: [TerminalText] = [
            "doorward \(status["version"]), up for \(status.age("started_at", at: now)): \(online) of"
                + " \(counted(accounts.count, "account", "accounts")) online."
        ]
        if accounts.isEmpty {
            lines += ["No accounts are configured. Add one to a bot.yaml under bots/, then 'doorward reload'."]
        } else {
            var table = Table([
                .init("ACCOUNT", .address), .init("STATE"), .init("FOR", .number),
                .init("POLICY", least: 8), .init("MODE"), .init("CONTACTS", .number), .init("WAITING", .number),
            ])
            for account in accounts {
                table.add(
                    [
                        account["jid"], account["state"], account.age("since", at: now), account["policy"],
                        account["mode"], account.number("contacts").map { String($0) } ?? "-",
                        String(account.number("pending") ?? 0),
                    ],
                    styles: [1: style(ofState: account["state"])]
                )
            }
            lines += [""] + table.lines(width: width)
        }
        // The times are of one length and form, so the latest is the last by its letters.
        let resumed = accounts.filter { $0.has("resumed_at") }.sorted { $0["resumed_at"] < $1["resumed_at"] }
        if let last = resumed.last {
            lines.append(
                "\(counted(resumed.count, "account", "accounts")) went on with the session of before, the last"
                    + " \(last.age("resumed_at", at: now)) ago.")
        }
        for account in accounts where account.has("last_error") && account["state"] != "online" {
            lines.append("\(account["jid"]): \(cut(account["last_error"], to: max(40, width * 2)))")
        }
        lines += modules(accounts)
        let alerts = status.rows("alerts")
        if !alerts.isEmpty {
            lines += ["", "\(counted(alerts.count, "alert", "alerts")):"] + alerts.flatMap { alert($0, all: false) }
        }
        let waiting = accounts.reduce(into: Int64(0)) { $0 = $0.addingReportingOverflow($1.number("pending") ?? 0).0 }
        if let line = waitingElsewhere(status.rows("not_configured")) { lines += ["", line] }
        if waiting > 0 {
            lines += [
                "", "\(counted(Int(waiting), "request waits", "requests wait")) for an answer: 'doorward pending'.",
            ]
        }
        return lines
    }

    /// Requests of accounts that the configuration had once, and that the start of the service did not close yet.
    private func waitingElsewhere(_ rows: [Row]) -> TerminalText? {
        let count = rows.reduce(into: Int64(0)) { $0 = $0.addingReportingOverflow($1.number("pending") ?? 0).0 }
        guard count > 0 else { return nil }
        let names = rows.prefix(5).map { $0["jid"] }.joined(separator: ", ") + (rows.count > 5 ? ", …" : "")
        let requests = counted(Int(clamping: count), "request waits", "requests wait")
        let accounts: TerminalText = rows.count == 1 ? "an account that is" : "accounts that are"
        let them = count == 1 ? "it" : "them"
        return "\(requests) of \(accounts) not configured any more (\(names)): a reload closes \(them)."
    }

    private func style(ofState state: String) -> TerminalText.Style {
        switch state {
        case "online": .good
        case "parked": .bad
        case "waiting", "connecting": .warning
        default: .dim
        }
    }

    // MARK: alerts

    package func alerts(_ data: JSONValue, all: Bool) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init)
        guard !rows.isEmpty else {
            return [
                all
                    ? "There was never an alert."
                    : "No alerts: nothing needs you. 'doorward alerts --all' shows those that are over."
            ]
        }
        return rows.flatMap { alert($0, all: all) }
    }

    private func alert(_ row: Row, all: Bool) -> [TerminalText] {
        let isOver = row.has("cleared_at")
        let code = TerminalText(row["code"].replacing("_", with: " ")).styled(isOver ? .dim : .bad)
        let account: TerminalText = row.has("account") ? ": \(row["account"])" : ""
        var head: TerminalText = "  \(code)\(account), \(row.age("at", at: now)) ago"
        if isOver { head += ", over since \(row.age("cleared_at", at: now))" }
        return [head, "      \(cut(row["text"], to: max(60, width * 4)))"]
    }

    // MARK: reload

    package func reload(_ data: JSONValue) -> [TerminalText] {
        let outcome = Row(data)
        let faults = outcome.rows("faults").map { fault($0) }
        let parts: [(TerminalText, String)] = [
            ("started", "started"), ("stopped", "stopped"), ("updated", "updated"), ("connected anew", "restarted"),
        ]
        let changes = parts.filter { !outcome.strings($0.1).isEmpty }.map { words, name -> TerminalText in
            "\(counted(outcome.strings(name).count, "account", "accounts")) \(words): "
                + "\(cut(outcome.strings(name).joined(separator: ", "), to: max(40, width * 4)))"
        }
        let nothing: TerminalText =
            "Read again; no account changed. Operators and settings are those of the files now."
        return (changes.isEmpty ? [nothing] : ["Read again."] + changes) + faults
    }

    /// A fault in one line, as `check` begins it.
    func fault(_ row: Row) -> TerminalText {
        let place = "\(row["path"]):\(row.number("line") ?? 0):\(row.number("column") ?? 0)"
        let mend: TerminalText = row.has("suggestion") ? "; did you mean '\(row["suggestion"])'?" : ""
        return "\(place): \(row["severity"])[\(row["code"])]: \(row["message"])\(mend)"
    }

    /// The faults of a reload that was refused.
    package func faults(_ data: JSONValue) -> [TerminalText] { Row(data).rows("faults").map { fault($0) } }
}
