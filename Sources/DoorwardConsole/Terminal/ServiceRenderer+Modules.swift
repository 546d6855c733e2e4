/// The modules of bots in `status`.
extension ServiceRenderer {
    /// One line for each module that is not as it should be, or has lost something, and one for all the others together.
    func modules(_ accounts: [Row]) -> [TerminalText] {
        var lines: [TerminalText] = []
        var quiet = 0
        for account in accounts {
            for module in account.rows("modules") {
                let figures: [(TerminalText, String)] = [("dropped", "dropped"), ("failed", "errors")]
                let losses = figures.compactMap { words, key in
                    module.number(key).flatMap {
                        $0 > 0 ? "\(counted(Int(clamping: $0), "event", "events")) \(words)" : nil
                    }
                        as TerminalText?
                }
                let state = module["state"]
                guard state != "running" && state != "starting" || !losses.isEmpty else {
                    quiet += 1
                    continue
                }
                let shown = TerminalText(state).styled(state == "running" ? .good : .bad)
                let reason: TerminalText = module.has("reason") ? ": \(module["reason"])" : ""
                let loss = losses.reduce(into: "" as TerminalText) { $0 += ", \($1)" }
                lines.append("\(account["jid"]): the module \(module["name"]) is \(shown)\(loss)\(reason)")
            }
        }
        if quiet > 0, !lines.isEmpty { lines.append("\(counted(quiet, "other module runs", "other modules run")).") }
        if quiet > 0, lines.isEmpty { lines.append("\(counted(quiet, "module runs", "modules run")).") }
        return lines
    }
}
