import XMPPCore

/// `block add`, `block remove` and `block list` on the command line: their arguments, and their answers in words.
enum BlockCommandWords {
    static func arguments(of invocation: Invocation) throws(UsageError) -> [JSONMember] {
        var members = [try invocation.accountMember()]
        let items = invocation.arguments.dropFirst()
        for item in items {
            do { _ = try JID(item) } catch {
                throw UsageError(
                    "'\(item)' is \(error.description); give an address such as eve@spam.example, or a domain")
            }
        }
        if !items.isEmpty { members.append(JSONMember("items", .strings(Array(items)))) }
        return members
    }

    static func added(_ data: JSONValue, account: String) -> [TerminalText] {
        let row = Row(data)
        let report: TerminalText = row.has("report") ? ", and reported for \(row["report"])" : ""
        let covered = data["covered"]?.array?.compactMap(\.integer) ?? []
        var lines: [TerminalText] = [
            "\(account) blocks \(row.strings("blocked").joined(separator: ", "))\(report)."
        ]
        if !covered.isEmpty {
            let ids = covered.prefix(20).map { String($0) }.joined(separator: ", ") + (covered.count > 20 ? ", …" : "")
            lines.append("\(counted(covered.count, "request", "requests")) covered: \(ids).")
        }
        return lines
    }

    static func removed(_ data: JSONValue, account: String) -> [TerminalText] {
        ["\(account) blocks \(Row(data).strings("unblocked").joined(separator: ", ")) no longer."]
    }

    static func list(_ data: JSONValue, account: String, width: Int) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init)
        guard !rows.isEmpty else { return ["\(account) blocks nobody."] }
        var table = Table([.init("BLOCKED", .address), .init("COVERS", least: 8)])
        for row in rows { table.add([row.contact("jid"), covers(row["covers"])]) }
        return ["\(counted(rows.count, "entry", "entries")) on the block list of \(account):", ""]
            + table.lines(width: width)
    }

    private static func covers(_ word: String) -> String {
        switch word {
        case "domain": "the domain and all its users"
        case "resource": "only this resource"
        case _: "the contact"
        }
    }
}
