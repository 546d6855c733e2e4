import DoorwardPolicy
import Foundation
import XMPPCore

@testable import DoorwardStore

let account = BareJID(preparedLocal: "support", preparedDomain: "example.org")
let otherAccount = BareJID(preparedLocal: "sales", preparedDomain: "example.org")

func contact(_ name: String) -> BareJID { BareJID(preparedLocal: name, preparedDomain: "guests.example") }

func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_767_600_000_000 + seconds * 1000) }

func delivered(_ name: String, _ message: String? = "hello", nickname: String? = nil) -> DeliveredRequest {
    DeliveredRequest(contact: contact(name), message: message, nickname: nickname)
}

/// The decisions of the tests by name.
enum Record {
    static let ask = DecisionRecord(decision: .ask, by: .rule, rule: "strangers", policy: "community")
    static let accept = DecisionRecord(
        decision: .accept(Acceptance(groups: ["guests"])),
        by: .rule,
        rule: "friends",
        policy: "community",
        policyDigest: "00ff",
        facts: #"{"from":"a"}"#,
        trace: #"[{"rule":"friends"}]"#,
        steps: [.rosterSet, .verdict]
    )
    static let reject = DecisionRecord(
        decision: .reject(Rejection(block: true)),
        by: .rule,
        rule: "spam",
        policy: "community",
        reason: nil,
        steps: [.verdict, .block]
    )
    static let ignore = DecisionRecord(decision: .ignore, by: .default, policy: "community")
    static let observed = DecisionRecord(
        decision: .accept(Acceptance()),
        by: .rule,
        rule: "friends",
        policy: "community",
        acts: false
    )
}

func accepting(_ id: Int64, version: Int? = nil, by: String = "ana") -> Answer {
    Answer(
        id: id,
        version: version,
        decision: .accept(Acceptance(subscribeBack: true)),
        steps: [.rosterSet, .verdict, .subscribeBack],
        by: by,
        reason: "known to me"
    )
}

func rejecting(_ id: Int64, version: Int? = nil, by: String = "ben") -> Answer {
    Answer(id: id, version: version, decision: .reject(Rejection()), steps: [.verdict], by: by, reason: nil)
}

let withdrawal = Closure(.withdrawn, by: .requester, reason: "taken back")

/// A folder that is removed when the test is over.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/doorward-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// Copies a database as a crash would leave it: the file and its WAL, not the shared memory.
    func copy(_ name: String, to copy: String) throws {
        for suffix in ["", "-wal"] {
            let target = file(copy) + suffix
            try? FileManager.default.removeItem(atPath: target)
            if FileManager.default.fileExists(atPath: file(name) + suffix) {
                try FileManager.default.copyItem(atPath: file(name) + suffix, toPath: target)
            }
        }
    }

    func size(_ name: String) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: file(name))).count
    }
}

extension Store {
    /// One change in a session of its own; the row after it.
    @discardableResult
    nonisolated func change(
        _ change: RequestChange,
        of account: BareJID = account,
        session: Int64 = 1,
        at: Timestamp = time(0)
    ) async throws -> RequestRow? {
        try await commit(account: account, session: session, at: at, changes: [change]).first.flatMap { $0 }
    }

    /// Runs plain SQL behind the store's back.
    func execute(_ sql: String) throws {
        try openConnection().execute(sql)
        recent.forget()
        revisions.forget()
    }

    /// The first column of a query as texts.
    func texts(_ sql: String) throws -> [String] {
        try openConnection().all(sql) { row throws(StoreError) in try row.text() }
    }

    /// All that the store has, as text.
    func dump() throws -> [String] {
        try texts("SELECT 'counter ' || name || ' ' || value FROM counter ORDER BY name")
            + texts("SELECT 'session ' || account || ' ' || session FROM account_session ORDER BY account")
            + texts(
                """
                SELECT 'request ' || id || ' ' || contact || ' ' || quote(message) || ' ' || seen_count || ' '
                    || session || ' ' || version || ' ' || state || ' ' || live || on_desk || ' '
                    || quote(decision) || quote(options) || ' ' || revision
                FROM request ORDER BY id
                """
            )
            + texts(
                "SELECT 'steps ' || id || ' ' || quote(had_item) || ' ' || steps FROM request WHERE steps IS NOT NULL ORDER BY id"
            )
            + texts(
                """
                SELECT 'journal ' || id || ' ' || request || ' ' || kind || ' ' || at || ' ' || quote(decision) || ' '
                    || quote(state) FROM journal ORDER BY id
                """
            )
            + texts("SELECT 'login ' || account || ' ' || strong || bound || user_agent FROM account_login ORDER BY 1")
            + texts("SELECT 'resumable ' || account || ' ' || session || ' ' || id FROM resumable_session ORDER BY 1")
            + texts("SELECT 'counts ' || account || ' ' || inbound || ' ' || outbound FROM stream_count ORDER BY 1")
            + texts("SELECT 'contact ' || account || ' ' || contact || ' ' || subscription FROM contact ORDER BY 1")
            + texts(
                "SELECT 'resource ' || account || ' ' || contact || ' ' || resource FROM contact_resource ORDER BY 1")
            + texts("SELECT 'alert ' || id || ' ' || code || ' ' || text || quote(cleared_at) FROM alert ORDER BY id")
    }

    func integrity() throws -> [String] { try texts("PRAGMA integrity_check") }
}

/// The error of a call that is expected to fail; nil where it did not.
func failure<Result>(_ body: () async throws -> Result) async -> StoreError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
