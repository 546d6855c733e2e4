import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import XMPPClient
import XMPPCore

/// What happens in the service as log lines.
///
/// Addresses and rules stand in them, never a message or a secret.
struct EventLog: Sendable {
    /// Takes a line; it is made where it is written, which is not the event loop.
    let write: @Sendable (@escaping LogWriter.Line) -> Void
    let now: @Sendable () -> Timestamp

    func record(_ event: RuntimeEvent) {
        let moment = now()
        write { Self.line(for: event, at: moment).text }
    }

    /// Callers of the control socket who got no command in: no operators, or too many connections.
    func turnedAway(user: UInt32, count: Int) {
        let fields: [(String, String?)] = [("uid", String(user)), ("count", String(count))]
        let line = LogLine("control_refused", level: .warning, at: now(), fields)
        write { line.text }
    }

    static func line(for event: RuntimeEvent, at moment: Timestamp) -> LogLine {
        switch event {
        case .accountChanged(let status):
            LogLine(
                "account_changed", level: status.state == .parked ? .error : .info, at: moment,
                [
                    "account": status.jid.description, "state": status.state.rawValue,
                    "resumed": status.resumedAt == nil ? nil : "true",
                    "error": status.state == .online ? nil : status.lastError,
                ])
        case .decided(let row, let by, let name):
            about(row, "decided", at: moment) { line in
                line.add("decision", row.decision?.word)
                line.add("by", by)
                line.add("rule", row.rule)
                line.add("operator", name)
            }
        case .answered(let row, let name):
            about(row, "answered", at: moment) { line in
                line.add("decision", row.decision?.word)
                line.add("operator", name)
            }
        case .closed(let row, let reason):
            about(row, "closed", at: moment) { line in
                line.add("state", row.state.rawValue)
                line.add("reason", reason)
            }
        case .confirmed(let row):
            about(row, "confirmed", at: moment) { line in line.add("decision", row.decision?.word) }
        case .nameless(let account, let from):
            LogLine("sender_invalid", level: .warning, at: moment, ["account": account.description, "from": from])
        case .contact(let event):
            LogLine(
                "contact_changed", level: event.kind == .refused || event.kind == .delayed ? .warning : .info,
                at: moment,
                [
                    "account": event.account.description, "contact": event.contact?.description,
                    "change": event.kind.rawValue, "operator": event.operator, "detail": event.detail,
                ])
        case .alertRaised(let alert):
            LogLine(
                "alert_raised", level: .warning, at: moment,
                ["code": alert.code, "account": alert.account?.description, "text": alert.text])
        case .alertCleared(let code, let account):
            LogLine("alert_cleared", at: moment, ["code": code, "account": account?.description])
        case .trustedAgain(let account, let name):
            LogLine(
                "trusted_again", level: .warning, at: moment, ["account": account.description, "operator": name])
        case .moduleChanged(let account, let module, let state):
            LogLine(
                "module_changed", level: state.isWrong ? .warning : .info, at: moment,
                [
                    "account": account.description, "module": module, "state": state.word, "error": state.reason,
                ])
        case .moduleSaid(let account, let module, let text, let isWarning, let dropped):
            LogLine(
                "module_said", level: isWarning ? .warning : .info, at: moment,
                [
                    "account": account.description, "module": module, "text": text,
                    "dropped": dropped == 0 ? nil : String(dropped),
                ])
        case .moduleCrashed(let account, let module):
            LogLine(
                "module_crashed", level: .error, at: moment, ["account": account.description, "module": module])
        case .profilePublished(let account, let part, let error):
            LogLine(
                error == nil ? "profile_published" : "profile_refused", level: error == nil ? .info : .warning,
                at: moment,
                ["account": account.description, "part": part, "error": error])
        case .avatarSet(let account, let hash, let name):
            LogLine("avatar_set", at: moment, ["account": account.description, "hash": hash, "operator": name])
        case .noted(let note):
            LogLine(note.event, at: moment, [("account", note.account.description)] + note.fields)
        case .reloaded(let change):
            LogLine(
                "reloaded", at: moment,
                [
                    "started": String(change.started.count), "stopped": String(change.stopped.count),
                    "updated": String(change.updated.count), "restarted": String(change.restarted.count),
                ])
        }
    }

    private static func about(
        _ row: RequestRow, _ event: String, at moment: Timestamp, _ more: (inout LogLine) -> Void
    ) -> LogLine {
        var line = LogLine(event, at: moment)
        line.add("request", String(row.id))
        line.add("account", row.account.description)
        line.add("contact", row.contact.description)
        more(&line)
        return line
    }
}
