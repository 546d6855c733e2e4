import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// What happens in the service as log lines.
///
/// Addresses and rules stand in them, never a message or a secret.
struct EventLog: Sendable {
    let write: @Sendable (String) -> Void
    let now: @Sendable () -> Timestamp

    func record(_ event: RuntimeEvent) {
        write(line(for: event).text)
    }

    /// Callers of the control socket who got no command in: no operators, or too many connections.
    func turnedAway(user: UInt32, count: Int) {
        let fields: [(String, String?)] = [("uid", String(user)), ("count", String(count))]
        write(LogLine("control_refused", level: .warning, at: now(), fields).text)
    }

    func line(for event: RuntimeEvent) -> LogLine {
        switch event {
        case .accountChanged(let status):
            LogLine(
                "account_changed", level: status.state == .parked ? .error : .info, at: now(),
                [
                    "account": status.jid.description, "state": status.state.rawValue,
                    "resumed": status.resumedAt == nil ? nil : "true",
                    "error": status.state == .online ? nil : status.lastError,
                ])
        case .decided(let row, let by):
            LogLine(
                "decided", at: now(), Self.fields(row, ["decision": row.decision?.word, "by": by, "rule": row.rule]))
        case .answered(let row, let name):
            LogLine("answered", at: now(), Self.fields(row, ["decision": row.decision?.word, "operator": name]))
        case .closed(let row, let reason):
            LogLine("closed", at: now(), Self.fields(row, ["state": row.state.rawValue, "reason": reason]))
        case .confirmed(let row):
            LogLine("confirmed", at: now(), Self.fields(row, ["decision": row.decision?.word]))
        case .alertRaised(let alert):
            LogLine(
                "alert_raised", level: .warning, at: now(),
                ["code": alert.code, "account": alert.account?.description, "text": alert.text])
        case .alertCleared(let code, let account):
            LogLine("alert_cleared", at: now(), ["code": code, "account": account?.description])
        case .trustedAgain(let account, let name):
            LogLine(
                "trusted_again", level: .warning, at: now(), ["account": account.description, "operator": name])
        case .reloaded(let change):
            LogLine(
                "reloaded", at: now(),
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
