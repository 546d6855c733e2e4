import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// The demo's sentences.
///
/// Each fits 100 columns.
struct DemoWords: Sendable {
    static let width = 100

    /// How to call the program in a second terminal, such as `.build/release/doorward`.
    var program: String
    /// What each command needs after it, such as `--config other.yaml`; empty where nothing.
    var options: String = ""

    // MARK: The beginning

    func opening(
        port: UInt16, hosts: [String], folder: String, skipped: [BareJID], once: Bool = false
    ) -> [TerminalText] {
        var lines: [TerminalText] = [
            .words("The Doorward demo").styled(.bold),
            once
                ? "Everything runs on this machine, and all of it ends by itself (--once)."
                : "Everything runs on this machine, and all of it ends when you press Ctrl-C.",
            "",
            "A private Prosody listens on 127.0.0.1:\(port) and serves these hosts:",
        ]
        lines += Self.joined(hosts.map(address))
        lines.append("All files are in \(cut(folder, to: 70)).")
        lines += skipped.map { "Not run here, since its host is a real one: \(address($0.description))" }
        return lines + ["", "The accounts of the configuration log in:"]
    }

    /// A list with commas, in as many lines as it takes.
    private static func joined(_ items: [TerminalText]) -> [TerminalText] {
        var lines: [TerminalText] = []
        var line: TerminalText = "    "
        for (number, item) in items.enumerated() {
            let piece = item + (number + 1 < items.count ? ", " : "")
            if line.columns + piece.columns > width, line.columns > 4 {
                lines.append(line)
                line = "    "
            }
            line += piece
        }
        return lines + [line]
    }

    func online(_ status: AccountStatus) -> TerminalText {
        let jid = address(status.jid.description).padded(to: 28)
        return "    \(jid)  " + TerminalText.words("online").styled(.good) + "   policy \(cut(status.policy, to: 30))"
    }

    func offline(_ status: AccountStatus) -> TerminalText {
        let state = status.state == .parked ? "parked" : "not online, tries again"
        let head: TerminalText =
            "    \(address(status.jid.description))  " + TerminalText.words(state).styled(.warning) + ": "
        return head + cut(status.lastError ?? "no reason known", to: max(8, Self.width - head.columns))
    }

    var guestsCome: [TerminalText] { ["", "Five guests ask to be added, one after the other:"] }

    // MARK: A request

    func asks(_ guest: DemoGuest) -> [TerminalText] {
        let head: TerminalText = "\(address(guest.jid.description)) (\(guest.introduction))"
        return [
            "", head.styled(.bold), "    asks \(address(guest.account.description)): “\(cut(guest.message, to: 44))”",
        ]
    }

    func decided(_ row: RequestRow, by authority: String) -> [TerminalText] {
        let why = reason(row, by: authority)
        switch (row.state, row.decision) {
        case (.recorded, .ignore):
            return ["    is not answered: \(why) ignores such requests"]
        case (.recorded, .ask), (.recorded, nil):
            return ["    would wait for an operator by \(why), but the account only observes"]
        case (.recorded, let decision):
            return ["    would be answered '\(decision?.word ?? "ask")' by \(why), but the account only observes"]
        case (_, .accept(let acceptance)):
            let groups: TerminalText =
                acceptance.groups.isEmpty
                ? "" : ", into the group \(cut(acceptance.groups.joined(separator: ", "), to: 20))"
            return ["    is " + TerminalText.words("accepted").styled(.good) + " by \(why)\(groups)"]
        case (_, .reject(let rejection)):
            let block: TerminalText = rejection.block ? ", and blocked" : ""
            return ["    is " + TerminalText.words("rejected").styled(.bad) + " by \(why)\(block)"]
        case (_, .ask), (_, .ignore), (_, nil):
            return [
                "    " + TerminalText.words("waits for an operator").styled(.warning)
                    + ", as request \(row.id), by \(why)"
            ]
        }
    }

    /// A request of somebody who is none of the five.
    func decidedForSomeone(_ row: RequestRow, by authority: String) -> [TerminalText] {
        ["", "\(address(row.contact.description)) asks \(address(row.account.description))"]
            + decided(row, by: authority)
    }

    func hears(
        _ guest: DemoGuest, _ word: GuestEvent.Word, from account: BareJID, blocked: Bool, back: Bool
    ) -> [TerminalText] {
        let name = cut(guest.nickname, to: 16)
        return switch word {
        case .subscribed: ["    \(name) got the yes, and now sees when \(address(account.description)) is online"]
        case .unsubscribed:
            ["    \(name) got the no" + (blocked ? ", and reaches \(address(account.description)) no more" : "")]
        case .subscribe:
            [
                "    \(address(account.description)) asks\(back ? " back" as TerminalText : "") whether it may see \(name)"
            ]
        case .unsubscribe: ["    \(address(account.description)) no longer wants to see \(name)"]
        }
    }

    func agrees(_ guest: DemoGuest, to account: BareJID) -> TerminalText {
        "    \(cut(guest.nickname, to: 20)) agrees: both are in each other's contact list now"
    }

    func guestLeft(_ guest: DemoGuest, reason: String) -> TerminalText {
        "    \(cut(guest.nickname, to: 20)) lost the connection: \(cut(reason, to: 50))"
    }

    private func reason(_ row: RequestRow, by authority: String) -> TerminalText {
        switch Authority(rawValue: authority) {
        case .rule: "the rule '\(cut(row.rule ?? "", to: 28))'"
        case .default: "default, since no rule holds"
        case .ownRequest: "the account's own earlier request"
        case .mode: "the account's mode"
        case .operator: "an operator"
        case .token: "an invitation"
        case .requester, .server, nil: "\(cut(authority, to: 24))"
        }
    }

    func address(_ text: String) -> TerminalText { cutAddress(text, to: 36) }
}
