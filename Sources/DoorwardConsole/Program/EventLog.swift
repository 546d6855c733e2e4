import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
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
        case .decided(let row, let by):
            LogLine(
                "decided", at: moment, fields(row, ["decision": row.decision?.word, "by": by, "rule": row.rule]))
        case .answered(let row, let name):
            LogLine("answered", at: moment, fields(row, ["decision": row.decision?.word, "operator": name]))
        case .closed(let row, let reason):
            LogLine("closed", at: moment, fields(row, ["state": row.state.rawValue, "reason": reason]))
        case .confirmed(let row):
            LogLine("confirmed", at: moment, fields(row, ["decision": row.decision?.word]))
        case .nameless(let account, let from):
            LogLine("sender_invalid", level: .warning, at: moment, ["account": account.description, "from": from])
        case .alertRaised(let alert):
            LogLine(
                "alert_raised", level: .warning, at: moment,
                ["code": alert.code, "account": alert.account?.description, "text": alert.text])
        case .alertCleared(let code, let account):
            LogLine("alert_cleared", at: moment, ["code": code, "account": account?.description])
        case .trustedAgain(let account, let name):
            LogLine(
                "trusted_again", level: .warning, at: moment, ["account": account.description, "operator": name])
        case .reloaded(let change):
            LogLine(
                "reloaded", at: moment,
                [
                    "started": String(change.started.count), "stopped": String(change.stopped.count),
                    "updated": String(change.updated.count), "restarted": String(change.restarted.count),
                ])
        }
    }

    private static func fields(
        _ row: RequestRow, _ more: KeyValuePairs<String, String?>
    ) -> [(String, String?)] {
        [("request", String(row.id)), ("account", row.account.description), ("contact", row.contact.description)]
            + more.map { ($0.key, $0.value) }
    }
}
