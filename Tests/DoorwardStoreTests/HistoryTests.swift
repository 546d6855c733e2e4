import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("History")
struct HistoryTests {
    let store: Store

    init() throws { store = try Store(path: ":memory:") }

    private enum Step {
        case change(RequestChange)
        case answer(Answer)
        case sql(String)
    }

    private static let written = Step.change(
        .written(contact: contact("ann"), steps: [.rosterSet, .verdict], hadItem: false)
    )
    private static let confirmed = Step.change(
        .confirmed(contact: contact("ann"), steps: [.rosterSet, .verdict])
    )
    private static let withdrawn = Step.change(.closed(contact: contact("ann"), as: withdrawal))
    private static func opened(_ record: DecisionRecord) -> Step { .change(.opened(delivered("ann"), record)) }
    private static func closed(_ state: RequestState) -> Step {
        .change(.closed(contact: contact("ann"), as: Closure(state, by: .server, reason: "seen")))
    }
    private static func dropped(_ steps: [OutboxStep.Kind]) -> Step {
        .change(.dropped(contact: contact("ann"), steps: steps, reason: "block not possible"))
    }

    /// Stories with the states of their rows, newest first.
    private static let stories: [(name: String, steps: [Step], states: [String])] = [
        ("ask waits", [opened(Record.ask)], ["ask waiting"]),
        ("held", [opened(Record.ask), .sql("UPDATE request SET state = 'held'")], ["ask held"]),
        ("ignored", [opened(Record.ignore)], ["ignore not_sent"]),
        ("observed", [opened(Record.observed)], ["accept not_sent"]),
        ("queued", [opened(Record.accept)], ["accept queued"]),
        ("sent", [opened(Record.accept), written], ["accept sent @2"]),
        ("sent again", [opened(Record.accept), written, written], ["accept sent @2"]),
        ("confirmed", [opened(Record.accept), written, confirmed], ["accept confirmed @2"]),
        ("seen in the roster", [opened(Record.accept), confirmed], ["accept confirmed"]),
        ("withdrawn from the desk", [opened(Record.ask), withdrawn], ["null withdrawn", "ask withdrawn"]),
        (
            "answered elsewhere", [opened(Record.ask), closed(.answeredElsewhere)],
            ["null answered_elsewhere", "ask answered_elsewhere"]
        ),
        ("covered", [opened(Record.ask), closed(.covered)], ["null covered", "ask covered"]),
        ("ignored and gone", [opened(Record.ignore), withdrawn], ["null withdrawn", "ignore not_sent"]),
        ("queued and gone", [opened(Record.accept), withdrawn], ["null withdrawn", "accept withdrawn"]),
        (
            "sent and found no request", [opened(Record.accept), written, withdrawn],
            ["null withdrawn", "accept withdrawn @2"]
        ),
        ("answered", [opened(Record.ask), .answer(accepting(1))], ["accept queued", "ask queued"]),
        (
            "answered and sent", [opened(Record.ask), .answer(accepting(1)), written],
            ["accept sent @3", "ask sent @3"]
        ),
        (
            "answered and confirmed", [opened(Record.ask), .answer(accepting(1)), written, confirmed],
            ["accept confirmed @3", "ask confirmed @3"]
        ),
        (
            "answered and gone", [opened(Record.ask), .answer(accepting(1)), withdrawn],
            ["null withdrawn", "accept withdrawn", "ask withdrawn"]
        ),
        (
            "the verdict refused", [opened(Record.reject), written, dropped([.verdict, .block])],
            ["reject not_sent (block not possible)"]
        ),
        (
            "the block not possible", [opened(Record.reject), written, dropped([.block])],
            ["reject sent @2 (block not possible)"]
        ),
        (
            "confirmed, the block dropped later", [opened(Record.reject), written, confirmed, dropped([.block])],
            ["reject confirmed @2 (block not possible)"]
        ),
        (
            "reopened and answered by a rule",
            [opened(Record.ask), withdrawn, opened(Record.accept), written],
            ["accept sent @4", "null withdrawn", "ask withdrawn"]
        ),
        (
            "a second request after the first was confirmed",
            [opened(Record.accept), written, confirmed, opened(Record.ask)],
            ["ask waiting", "accept confirmed @2"]
        ),
        (
            "ignored, then asked, then answered",
            [opened(Record.ignore), .change(.redelivered(delivered("ann"), Record.ask)), .answer(rejecting(1))],
            ["reject queued", "ask queued", "ignore not_sent"]
        ),
    ]

    @Test("what became of each decision", arguments: stories.indices)
    func states(index: Int) async throws {
        let (name, steps, expected) = Self.stories[index]
        for (number, step) in steps.enumerated() {
            let at = time(Int64(number) + 1)
            switch step {
            case .change(let change): try await store.change(change, at: at)
            case .answer(let answer): _ = try await store.answer([answer], at: at)
            case .sql(let sql): try await store.execute(sql)
            }
        }
        let rows = try await store.history(limit: 100, before: nil, account: nil)
        let shown = rows.map { row in
            let sent = row.sentAt.map { " @\(($0.milliseconds - time(0).milliseconds) / 1000)" } ?? ""
            let reason = row.event == .decided && row.operator == nil ? row.reason.map { " (\($0))" } ?? "" : ""
            return "\(row.decision ?? "null") \(row.state.rawValue)\(sent)\(reason)"
        }
        #expect(shown == expected, "\(name)")
    }

    @Test("a row says who decided, by what and why")
    func fields() async throws {
        try await store.change(.opened(delivered("ann"), Record.accept), at: time(1))
        try await store.change(.opened(delivered("bob"), Record.ask), at: time(2))
        _ = try await store.answer([accepting(2)], at: time(3))
        try await store.change(.closed(contact: contact("ann"), as: withdrawal), at: time(4))
        let rows = try await store.history(limit: 100, before: nil, account: nil)
        #expect(
            rows.first
                == HistoryRow(
                    id: 4,
                    request: 1,
                    at: time(4),
                    account: account,
                    contact: contact("ann"),
                    event: .closed,
                    decision: nil,
                    by: "requester",
                    rule: nil,
                    operator: nil,
                    reason: "taken back",
                    policy: nil,
                    policyDigest: nil,
                    sentAt: nil,
                    state: .withdrawn
                )
        )
        #expect(rows[1].by == "operator")
        #expect(rows[1].operator == "ana")
        #expect(rows[1].reason == "known to me")
        #expect(rows[1].rule == nil)
        #expect(rows[3].by == "rule")
        #expect(rows[3].rule == "friends")
        #expect(rows[3].policy == "community")
        #expect(rows[3].policyDigest == "00ff")
        let kept = try await store.texts("SELECT facts || trace || options || steps FROM journal WHERE id = 1")
        #expect(
            kept == [#"{"from":"a"}[{"rule":"friends"}]{"groups":["guests"],"subscribe_back":false}roster_set verdict"#]
        )
    }

    @Test("pages go back without gap or overlap, also of one account")
    func pages() async throws {
        for index in 0..<12 {
            let account = index % 3 == 0 ? otherAccount : account
            try await store.change(.opened(delivered("c\(index)"), Record.accept), of: account)
            try await store.change(
                .written(contact: contact("c\(index)"), steps: [.verdict], hadItem: false),
                of: account
            )
        }
        for (account, count) in [(nil, 12), (account, 8), (otherAccount, 4)] {
            var ids: [Int64] = []
            var before: Int64?
            while true {
                let page = try await store.history(limit: 3, before: before, account: account)
                if page.isEmpty { break }
                ids += page.map(\.id)
                before = page.last?.id
            }
            #expect(ids.count == count)
            #expect(ids == ids.sorted(by: >))
            #expect(Set(ids).count == count)
        }
        #expect(try await store.history(limit: 0, before: nil, account: nil).isEmpty)
        #expect(try await store.history(limit: -1, before: nil, account: nil).isEmpty)
        #expect(try await store.history(limit: .max, before: .min, account: nil).isEmpty)
        #expect(try await store.history(limit: .max, before: nil, account: nil).count == 12)
    }

    @Test(
        "rows of the journal are neither changed, deleted nor replaced",
        arguments: [
            "UPDATE journal SET at = 0", "UPDATE journal SET decision = 'accept' WHERE id = 1", "DELETE FROM journal",
            "DELETE FROM journal WHERE id = 1", "INSERT OR REPLACE INTO journal SELECT * FROM journal WHERE id = 1",
            "REPLACE INTO journal SELECT * FROM journal", "UPDATE OR IGNORE journal SET at = 0 WHERE id = 1",
        ]
    )
    func immutable(sql: String) async throws {
        try await store.change(.opened(delivered("ann"), Record.ask))
        let before = try await store.dump()
        #expect(await failure { try await store.execute(sql) } != nil)
        #expect(try await store.dump() == before)
    }

    @Test("numbers of requests and of the journal are never used again")
    func numbers() async throws {
        try await store.change(.opened(delivered("ann"), Record.ask))
        try await store.execute("DROP TRIGGER journal_no_delete; DELETE FROM journal; DELETE FROM request")
        #expect(try await store.change(.opened(delivered("bob"), Record.ask))?.id == 2)
        #expect(try await store.history(limit: 1, before: nil, account: nil).map(\.id) == [2])
    }
}
