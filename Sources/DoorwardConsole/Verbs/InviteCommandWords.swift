import DoorwardRuntime
import XMPPCore

/// `invite`, `invite list` and `invite revoke` on the command line: their arguments, and their answers in words.
enum InviteCommandWords {
    static func arguments(of invocation: Invocation) throws(UsageError) -> [JSONMember] {
        var members = invocation.arguments.isEmpty ? [] : [try invocation.accountMember()]
        for flag in ["name", "for", "expires"] {
            if let value = invocation[flag] { members.append(JSONMember(flag, .string(value))) }
        }
        if invocation.has("server") { members.append(JSONMember("server", .bool(true))) }
        if let uses = invocation["uses"].flatMap({ Int($0) }) { members.append(JSONMember("uses", .integer(uses))) }
        if let text = invocation["expires"], DurationText.seconds(text, in: InvitationOrder.seconds) == nil {
            throw UsageError("--expires is a duration from 1m to 366d, such as 12h or 7d, not '\(text)'")
        }
        return members
    }

    static func ids(_ invocation: Invocation) throws(UsageError) -> JSONMember {
        for id in invocation.arguments where RequestReference(id) == nil || RequestReference(id)?.version != nil {
            throw UsageError("'\(id)' is no number of an invitation; 'doorward invite list' shows them, such as 3")
        }
        return JSONMember("ids", .strings(invocation.arguments))
    }

    static func revoked(_ data: JSONValue) -> [TerminalText] {
        let done = (data.array ?? []).map(Row.init).filter { !$0.has("error") }
        return done.map { "Invitation \($0.number("id") ?? 0) is revoked: nobody is let in by it any more." }
    }

    static func list(_ data: JSONValue, all: Bool, width: Int) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init)
        guard !rows.isEmpty else {
            return [all ? "There was never an invitation." : "No invitations are valid."]
        }
        var table = Table([
            .init("ID", .number), .init("ACCOUNT", .address), .init("STATE"), .init("LEFT", .number),
            .init("EXPIRES"), .init("FOR", .address), .init("MADE BY"),
        ])
        for row in rows {
            let left = "\(row.number("uses_left") ?? 0) of \(row.number("uses") ?? 0)"
            table.add([
                String(row.number("id") ?? 0), row["account"], row["state"], left, row["expires_at"],
                row.has("for") ? row.contact("for") : "anybody", row["made_by"],
            ])
        }
        return table.lines(width: width)
    }

    static func made(_ data: JSONValue, _ invocation: Invocation, _ output: Output) -> [TerminalText] {
        let row = Row(data)
        let uses = row.number("uses") ?? 1
        let who: TerminalText =
            row.has("for")
            ? "\(row.contact("for")) may use it" : uses == 1 ? "one person may use it" : "anybody may use it"
        let often: TerminalText = uses == 1 ? "once" : "\(uses) times"
        var lines: [TerminalText] = [
            "Invitation \(row.number("id") ?? 0) to \(row["account"]): \(who), \(often), until \(row["expires_at"]).",
            "", "  " + TerminalText(row["uri"]).styled(.bold),
        ]
        if row.has("landing_url") { lines.append("  " + TerminalText(row["landing_url"]).styled(.bold)) }
        if row.flag("registers") {
            lines += [
                "", "Who has no account can make one on the server by it.",
                "The server itself may let in whoever shows it: it knows no --for and --uses, and nothing of a revocation.",
            ]
        } else if let note = serverNote(row) {
            lines += ["", note]
        }
        // A program that reads the words wants the link, and a file has no eyes. Who may have no client needs the page.
        guard !invocation.has("no-qr"), output.width != Output.unbounded,
            let code = QRCode(row[row.has("landing_url") ? "landing_url" : "uri"])?.lines(width: output.width),
            !code.isEmpty
        else { return lines }
        lines.append("")
        return lines + code
    }

    /// Why the link lets nobody make an account, and what to do; nil where the server was not asked.
    private static func serverNote(_ row: Row) -> TerminalText? {
        switch row["server"] {
        case "": nil
        case "done":
            "The server lets nobody make an account by it, so it is for those who have one (Prosody: allow_user_invites)."
        case "not_offered":
            """
            The server makes no invitations (XEP-0401), so the link is for those who have an account. On Prosody load \
            mod_invites_adhoc; the ejabberd of Debian 12 has none.
            """
        case "offline":
            "\(row["account"]) is not online, so its server was not asked; 'doorward status' shows why. The link is valid all the same."
        case "no_reply":
            "The server did not answer, so the link is for those who have an account; ask again for another."
        case _: "The server made no invitation: \(row["server_error"]). The link is for those who have an account."
        }
    }
}
