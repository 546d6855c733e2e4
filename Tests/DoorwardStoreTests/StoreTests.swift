import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("Requests in the store")
struct StoreTests {
    let store: Store

    init() throws { store = try Store(path: ":memory:") }

    @Test("the same request delivered at three logins is one row, seen three times")
    func threeLogins() async throws {
        for login in 1...3 {
            let session = try await store.beginSession(account: account, at: time(Int64(login)))
            let live = try await store.liveRequests(of: account)
            let change: RequestChange =
                live.isEmpty ? .opened(delivered("ann"), Record.ask) : .redelivered(delivered("ann"), nil)
            let row = try #require(
                try await store.change(change, session: session, at: time(Int64(login)))
            )
            #expect(row.id == 1)
            #expect(row.seenCount == login)
            #expect(row.session == Int64(login))
            #expect(row.receivedAt == time(1))
            #expect(row.lastSeenAt == time(Int64(login)))
        }
        #expect(try await store.pending(all: true, account: nil).count == 1)
        #expect(try await store.history(limit: 100, before: nil, account: nil).count == 1)
    }

    @Test("what is returned is what is read back")
    func readBack() async throws {
        let records = [Record.ask, Record.accept, Record.reject, Record.ignore, Record.observed]
        let changes = records.enumerated().map { RequestChange.opened(delivered("c\($0)", nickname: "N"), $1) }
        let rows = try await store.commit(account: account, session: 4, at: time(1), changes: changes)
        #expect(rows.count == 5)
        for row in rows {
            let row = try #require(row)
            #expect(try await store.request(id: row.id) == row)
        }
        #expect(rows.compactMap { $0?.revision } == [1, 2, 3, 4, 5])
        #expect(try await store.liveRequests(of: account) == rows.compactMap { $0 })
        #expect(try await store.liveRequests(of: otherAccount).isEmpty)
        #expect(try await store.request(id: 99) == nil)
    }

    @Test("changes of one batch see those before them")
    func batch() async throws {
        let rows = try await store.commit(
            account: account,
            session: 1,
            at: time(0),
            changes: [
                .opened(delivered("ann"), Record.accept),
                .written(contact: contact("ann"), steps: [.rosterSet, .verdict], hadItem: false),
                .confirmed(contact: contact("ann"), steps: [.rosterSet, .verdict]),
                .confirmed(contact: contact("ann"), steps: [.verdict]),
                .opened(delivered("ann"), Record.ask),
            ]
        )
        #expect(rows.map { $0?.id } == [1, 1, 1, nil, 2])
        #expect(rows[2]?.isLive == false)
        #expect(try await store.commit(account: account, session: 1, at: time(0), changes: []).isEmpty)
    }

    @Test("only a text that is there and differs in its bytes raises the version")
    func versions() async throws {
        let steps: [(String?, String?, Int)] = [
            ("hello", nil, 1), (nil, nil, 1), ("", nil, 1), ("hello", "Ann", 2), ("hello", nil, 2),
            ("caf\u{E9}", "Ann", 3), ("cafe\u{301}", "Ann", 4), ("x", "Y", 5),
            (String(repeating: "z", count: 20_000), nil, 6), (String(repeating: "z", count: 30_000), nil, 6),
        ]
        for (index, (message, nickname, version)) in steps.enumerated() {
            let delivery = delivered("ann", message, nickname: nickname)
            let row = try await store.change(
                index == 0 ? .opened(delivery, Record.ask) : .redelivered(delivery, nil)
            )
            #expect(row?.version == version, "step \(index)")
        }
        let row = try #require(try await store.request(id: 1))
        #expect(row.message?.utf8.count == 16 * 1024)
        #expect(row.nickname == "Y")
    }

    @Test("contacts that differ only in bytes have rows of their own")
    func bytes() async throws {
        let names = ["caf\u{E9}", "cafe\u{301}"]
        for name in names { try await store.change(.opened(delivered(name), Record.ask)) }
        #expect(try await store.pending(all: false, account: nil).count == 2)
    }

    @Test("two accounts asked by one contact are two requests")
    func twoAccounts() async throws {
        try await store.change(.opened(delivered("ann"), Record.ask))
        try await store.change(.opened(delivered("ann"), Record.ask), of: otherAccount)
        try await store.change(.closed(contact: contact("ann"), as: withdrawal))
        #expect(try await store.pending(all: false, account: nil).map(\.account) == [otherAccount])
        #expect(try await store.pending(all: true, account: account).map(\.state) == [.withdrawn])
        #expect(try await store.pendingCounts() == [otherAccount: 1])
    }

    @Test("the desk shows what waits, oldest first, and with all what ever was there")
    func desk() async throws {
        for (index, record) in [Record.ask, Record.accept, Record.ignore, Record.ask, Record.ask].enumerated() {
            try await store.change(.opened(delivered("c\(index)"), record))
        }
        _ = try await store.answer([accepting(4)], at: time(2))
        #expect(try await store.pending(all: false, account: nil).map(\.id) == [1, 5])
        #expect(try await store.pending(all: true, account: nil).map(\.id) == [1, 4, 5])
        #expect(try await store.pending(all: false, account: account).map(\.id) == [1, 5])
        #expect(try await store.pending(all: false, account: otherAccount).isEmpty)
        #expect(try await store.pendingCounts() == [account: 2])
    }

    @Test("sessions count up, over all accounts")
    func sessions() async throws {
        #expect(try await store.beginSession(account: account, at: time(0)) == 1)
        #expect(try await store.beginSession(account: otherAccount, at: time(0)) == 2)
        #expect(try await store.beginSession(account: account, at: time(0)) == 3)
    }

    @Test("a recorded request is decided anew under its id when the policy changes its mind")
    func redecided() async throws {
        try await store.change(.opened(delivered("ann"), Record.observed))
        let row = try #require(try await store.change(.redelivered(delivered("ann"), Record.ask), at: time(5)))
        #expect(row.id == 1)
        #expect(row.state == .open)
        #expect(row.onDesk)
        #expect(row.rule == "strangers")
        #expect(try await store.history(limit: 10, before: nil, account: nil).map(\.state) == [.waiting, .notSent])
    }

    @Test("a withdrawn request reopens under its id, whatever it was", arguments: 0..<5)
    func reopening(index: Int) async throws {
        let record = [Record.ask, Record.accept, Record.reject, Record.ignore, Record.observed][index]
        try await store.change(.opened(delivered("ann"), record))
        #expect(try await store.change(.closed(contact: contact("ann"), as: withdrawal))?.state == .withdrawn)
        #expect(try await store.liveRequests(of: account).isEmpty)
        let row = try #require(
            try await store.change(.opened(delivered("ann", "again"), Record.ask), session: 2, at: time(8))
        )
        #expect(row.id == 1)
        #expect(row.seenCount == 2)
        #expect(row.version == 2)
        #expect(row.session == 2)
        #expect(row.receivedAt == time(0))
        #expect(row.state == .open)
        #expect(row.outbox == nil)
        #expect(try await store.request(id: 1) == row)
        #expect(try await store.texts("SELECT id FROM request WHERE steps IS NOT NULL OR had_item IS NOT NULL").isEmpty)
    }

    @Test("a withdrawn accept reopens with an answer of its own")
    func reopenedAnswer() async throws {
        try await store.change(.opened(delivered("ann"), Record.accept))
        try await store.change(.written(contact: contact("ann"), steps: [.rosterSet, .verdict], hadItem: true))
        try await store.change(.closed(contact: contact("ann"), as: withdrawal))
        let row = try #require(try await store.change(.opened(delivered("ann"), Record.accept), session: 2))
        #expect(row.id == 1)
        #expect(row.outbox == OutboxRow(steps: [OutboxStep(.rosterSet), OutboxStep(.verdict)], hadItem: nil))
    }

    @Test(
        "a request that ended otherwise gets a new number",
        arguments: [RequestState.answeredElsewhere, .covered]
    )
    func newNumber(state: RequestState) async throws {
        try await store.change(.opened(delivered("ann"), Record.ask))
        try await store.change(.closed(contact: contact("ann"), as: Closure(state, by: .server, reason: "gone")))
        #expect(try await store.change(.opened(delivered("ann"), Record.ask))?.id == 2)
    }

    @Test("only one live row of a contact can be in the file")
    func uniqueLive() async throws {
        try await store.change(.opened(delivered("ann"), Record.ask))
        let error = await failure {
            try await store.execute(
                """
                INSERT INTO request SELECT 5, account, contact, message, nickname, 0, 0, 1, 1, 1, state, 1, 1, decision,
                    options, rule, policy, 9, NULL, NULL FROM request
                """
            )
        }
        #expect(error?.code == .misuse)
    }

    @Test("a closed store refuses every call with words")
    func closed() async throws {
        await store.close()
        await store.close()
        #expect(await failure { try await store.pendingCounts() } == .closed)
        #expect(await failure { try await store.beginSession(account: account, at: time(0)) } == .closed)
    }

    @Test("lists use their indexes, however many requests there were")
    func plans() async throws {
        let queries = [
            ("SELECT id FROM request WHERE account = 'a' AND live = 1 ORDER BY id", "request_live"),
            (
                "SELECT account, count(*) FROM request WHERE state IN ('open', 'held') GROUP BY account",
                "request_waiting"
            ),
            (
                "SELECT id FROM request WHERE account = 'a' AND contact = 'b' ORDER BY id DESC LIMIT 1",
                "request_contact"
            ),
            ("SELECT kind FROM journal WHERE request = 1 AND id > 2 ORDER BY id", "journal_request"),
        ]
        for (query, index) in queries {
            let plan = try await store.plan(query)
            #expect(plan.contains(index), "\(plan)")
        }
    }
}

extension Store {
    func plan(_ query: String) throws -> String {
        try openConnection().all("EXPLAIN QUERY PLAN " + query) { row throws(StoreError) in
            _ = try row.integer()
            _ = try row.integer()
            _ = try row.integer()
            return try row.text()
        }.joined(separator: "; ")
    }
}
