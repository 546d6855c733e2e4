import DoorwardConfig
import DoorwardConsole
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Foundation
import Testing
import XMPPCore

/// Rows to test with.
enum Samples {
    /// 2026-01-05T12:00:00Z.
    static let start = Timestamp(milliseconds: 1_767_614_400_000)
    static let now = Timestamp(milliseconds: start.milliseconds + 4000)
    static let hash = String(repeating: "ab", count: 32)

    static func jid(_ text: String) -> BareJID {
        do { return try BareJID(text) } catch {
            Issue.record("\(text) is no address")
            return BareJID(preparedLocal: nil, preparedDomain: "invalid")
        }
    }

    static func request(
        _ id: Int64 = 17,
        contact: String = "ann@example.test",
        message: String? = "Hello, it is me",
        nickname: String? = "Ann",
        version: Int = 1,
        state: RequestState = .open
    ) -> RequestRow {
        RequestRow(
            id: id,
            account: jid("support@doorward.test"),
            contact: jid(contact),
            message: message,
            nickname: nickname,
            receivedAt: start,
            lastSeenAt: start,
            seenCount: 3,
            session: 1,
            version: version,
            state: state,
            onDesk: true,
            decision: .ask,
            rule: "everyone else",
            policy: "community",
            outbox: nil,
            revision: 1
        )
    }

    static func history(
        _ id: Int64 = 123,
        decision: String? = "accept",
        by: String = "operator",
        state: HistoryRow.State = .sent
    ) -> HistoryRow {
        HistoryRow(
            id: id,
            request: 17,
            at: start,
            account: jid("support@doorward.test"),
            contact: jid("ann@example.test"),
            event: decision == nil ? .closed : .decided,
            decision: decision,
            by: by,
            rule: nil,
            operator: "ana",
            reason: nil,
            policy: "community",
            policyDigest: hash,
            sentAt: start,
            state: state
        )
    }

    static func alert() -> AlertRow {
        AlertRow(
            id: 3,
            at: start,
            account: jid("front@corp.test"),
            code: "account_parked",
            text: "wrong password; mend secrets/front, then 'doorward reload'",
            clearedAt: nil
        )
    }

    static func accountStatus(_ state: AccountStatus.State = .online) -> AccountStatus {
        AccountStatus(
            jid: jid("support@doorward.test"),
            state: state,
            since: start,
            policy: "community",
            mode: .enforce,
            contacts: 12,
            pending: 1,
            lastError: nil
        )
    }

    static let fault = Fault(
        path: "policies/community.yaml",
        line: 14,
        column: 9,
        code: "DW012",
        message: "unknown condition 'form'",
        suggestion: "from",
        source: "    form: x"
    )
}

/// A folder for one test, closed to others, removed at its end.
func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
    )
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.path)
}
