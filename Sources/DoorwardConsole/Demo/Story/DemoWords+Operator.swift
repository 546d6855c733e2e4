import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// The second half of the demo: the operator's turn, and the end.
extension DemoWords {
    /// What to type next.
    ///
    /// - Parameters:
    ///   - waiting: The guests whose requests are on the desk.
    ///   - observed: How many requests were only recorded, since their account's mode is to observe.
    ///   - accounts: Those of the demo.
    ///   - once: Whether the demo ends now by itself: then there is nothing to type.
    /// - Returns: The lines.
    func operatorsTurn(
        waiting: [(guest: DemoGuest, id: Int64)], observed: Int, accounts: [BareJID], once: Bool
    ) -> [TerminalText] {
        var lines: [TerminalText] = [""]
        switch waiting.count {
        case 0 where observed == 0:
            lines.append(TerminalText.words("Nobody waits for you: the rules have answered all.").styled(.bold))
        case 0: lines.append(TerminalText.words("Nobody waits for you.").styled(.bold))
        case 1: lines.append(TerminalText.words("Now it is your turn: one request waits.").styled(.bold))
        case 2: lines.append(TerminalText.words("Now it is your turn: two requests wait.").styled(.bold))
        case let count: lines.append(TerminalText.words("Now it is your turn: \(count) requests wait.").styled(.bold))
        }
        if observed > 0 {
            lines.append(
                "\(counted(observed, "request was", "requests were")) only recorded, since the account only observes; see 'history'."
            )
        }
        guard !once else { return lines + ["--once: the demo ends now."] }
        lines += ["Open a second terminal in this folder and type:", ""]
        var commands: [(String, TerminalText)] = [
            ("status", "the accounts, and whether all is well")
        ]
        if !waiting.isEmpty { commands.append(("pending", "who waits")) }
        if let first = waiting.first {
            commands.append(("accept \(first.id)", "let \(address(first.guest.jid.description)) in"))
        }
        if let second = waiting.dropFirst().first {
            commands.append(
                ("reject \(second.id) --block", "turn \(address(second.guest.jid.description)) away for good"))
        }
        commands.append(("history", "who decided what, and by which rule"))
        if let account = accounts.first { commands.append(("roster \(account)", "its contacts")) }
        lines += commands.map(command)
        let help: TerminalText = "Every command explains itself with --help."
        return lines + ["", waiting.isEmpty ? help : "What you answer shows here. " + help, "Ctrl-C ends the demo."]
    }

    private func command(_ words: String, _ explanation: TerminalText) -> TerminalText {
        let line = TerminalText("\(program) \(words)\(options.isEmpty ? "" : " \(options)")").styled(.bold)
        // A long path leaves no room for an explanation; the command itself must stay whole to be copied.
        let room = Self.width - 4 - max(line.columns, 54) - 2
        return explanation.columns <= room ? "    \(line.padded(to: 54))  \(explanation.styled(.dim))" : "    \(line)"
    }

    func answered(_ row: RequestRow, by name: String) -> [TerminalText] {
        let what: TerminalText = "request \(row.id): \(address(row.contact.description))"
        let who = cut(name, to: 20)
        switch row.decision {
        case .accept:
            return ["", "\(who) " + TerminalText.words("accepted").styled(.good) + " \(what)"]
        case .reject(let rejection):
            let block: TerminalText = rejection.block ? ", and blocks the sender" : ""
            return ["", "\(who) " + TerminalText.words("rejected").styled(.bad) + " \(what)\(block)"]
        case .ask, .ignore, nil:
            return ["", "\(who) answered \(what)"]
        }
    }

    func closed(_ row: RequestRow, reason: String) -> [TerminalText] {
        ["", "Request \(row.id) of \(address(row.contact.description)) is closed: \(cut(reason, to: 34))"]
    }

    func alert(_ alert: AlertRow) -> [TerminalText] {
        let about: TerminalText = alert.account.map { " about \(address($0.description))" } ?? ""
        let head: TerminalText = TerminalText.words("Alert").styled(.bad) + "\(about): "
        return ["", head + cut(alert.text, to: max(8, Self.width - head.columns))]
    }

    func alertCleared(_ code: String, _ account: BareJID?) -> [TerminalText] {
        let about: TerminalText = account.map { " about \(address($0.description))" } ?? ""
        return ["The alert '\(cut(code, to: 30))'\(about) is over"]
    }

    func reloaded(_ change: ReloadOutcome.Change) -> [TerminalText] {
        let parts = [
            (change.started.count, "started"), (change.stopped.count, "stopped"), (change.updated.count, "updated"),
            (change.restarted.count, "connected anew"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let what = parts.isEmpty ? "no account changed" : "accounts " + parts.joined(separator: ", ")
        return ["", "The files were read again: \(TerminalText(what))"]
    }

    /// Nothing more waits.
    ///
    /// - Parameter isEveryGuest: Whether each of the five got an answer; those that were only recorded did not.
    /// - Returns: The lines.
    func allAnswered(isEveryGuest: Bool) -> [TerminalText] {
        let who: TerminalText = isEveryGuest ? "All five are answered." : "Nobody waits any more."
        return ["", who + " 'doorward history' shows who decided what; Ctrl-C ends the demo."]
    }

    /// A guest whose request was not answered in time.
    func noAnswer(_ guest: DemoGuest) -> TerminalText {
        "    " + TerminalText.words("nothing has happened for a while").styled(.warning)
            + "; doorward.log in the demo's folder may say why"
    }

    var stopping: [TerminalText] { ["", "Stopping: accounts and guests say goodbye, then Prosody ends."] }

    var stopped: [TerminalText] { ["Stopped. Nothing of the demo runs any more; its files stay."] }
}
