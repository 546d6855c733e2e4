import XMPPCore

extension ContactRenderer {
    /// Where the contacts of an account are logged in, one resource a row, the one to talk to first.
    package func resources(_ data: JSONValue, account: String) -> [TerminalText] {
        let rows = (data.array ?? []).map(Row.init)
        let present = rows.filter { !$0.rows("resources").isEmpty }
        guard !present.isEmpty else {
            // Of an account that is offline nobody knows who is there.
            let isKnown = !rows.contains { $0.has("as_of") }
            return [isKnown ? "Nobody of them is there." : "\(account) is not online, so nobody is known to be there."]
        }
        var table = Table([
            .init("CONTACT", .address), .init("RESOURCE"), .init("PRIORITY", .number), .init("SHOW"), .init("SAID"),
            .init("IDLE"), .init("STATUS"),
        ])
        for contact in present {
            for row in contact.rows("resources") {
                table.add([
                    contact.contact("jid"), row.has("resource") ? row["resource"] : "-",
                    row.number("priority").map(String.init) ?? "-", row["show"], "\(row.age("at", at: now)) ago",
                    row.has("idle_since") ? row.age("idle_since", at: now) : "-", row["status"],
                ])
            }
        }
        return [head(present, "contact is there", "contacts are there", of: account), ""] + table.lines(width: width)
    }
}
