import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

/// Commits of many accounts in one transaction.
@Suite("Commits that meet")
struct CommitTests {
    /// Longer than any test: what waits for its end waits for something else.
    private static let window = Duration.seconds(3600)

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func account(_ number: Int) -> BareJID {
        BareJID(preparedLocal: "bot\(number)", preparedDomain: "example.org")
    }

    private func commit(_ changes: [RequestChange], of account: BareJID, to store: Store) async throws -> [RequestRow?]
    {
        try await store.commit(account: account, session: 1, at: time(0), changes: changes)
    }

    /// Commits of so many accounts at once, two changes each; the rows or the error of each.
    private func commits(
        of count: Int, to store: Store, _ name: @escaping @Sendable (Int) -> String
    ) async -> [Int: Result<[RequestRow?], any Error>] {
        await withTaskGroup(of: (Int, Result<[RequestRow?], any Error>).self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        let changes: [RequestChange] = [
                            .opened(delivered(name(number)), Record.accept),
                            .written(contact: contact(name(number)), steps: [.verdict], hadItem: false),
                        ]
                        return (number, .success(try await commit(changes, of: account(number), to: store)))
                    } catch {
                        return (number, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test("a commit that comes alone is written at once, and one behind it waits until something else is asked for")
    func alone() async throws {
        let store = try Store(path: folder.file("live.db"), window: Self.window)
        try await store.change(.opened(delivered("ann"), Record.ask))
        let second = Task { try await store.change(.opened(delivered("bob"), Record.ask)) }
        // Whatever is called later sees what was committed before, and lets nobody wait.
        var rows: [RequestRow] = []
        while rows.count < 2 { rows = try await store.liveRequests(of: DoorwardStoreTests.account) }
        #expect(try await second.value?.id == 2)
        await store.close()
    }

    @Test("what is worth a transaction does not wait, and is one transaction")
    func full() async throws {
        let store = try Store(path: folder.file("live.db"), window: Self.window)
        try await store.change(.opened(delivered("ann"), Record.ask))
        let before = store.commits
        let results = await commits(of: CommitPace.full / 2, to: store) { "c\($0)" }
        #expect(store.commits == before + 1)
        for (number, result) in results {
            let rows = try result.get()
            #expect(rows.map { $0?.account } == [account(number), account(number)])
            #expect(rows.map { $0?.outbox?.step(.verdict)?.state } == [.due, .written(session: 1)])
            #expect(try await store.liveRequests(of: account(number)) == [rows[1]])
        }
        #expect(try await store.integrity() == ["ok"])
        await store.close()
    }

    @Test("a fault in what one account has is its own matter", arguments: ["ABORT", "FAIL", "ROLLBACK"])
    func fault(kind: String) async throws {
        let store = try Store(path: folder.file("live.db"), window: Self.window)
        try await store.change(.opened(delivered("ann"), Record.ask))
        try await store.execute(
            """
            CREATE TEMP TRIGGER fault AFTER INSERT ON main.request WHEN NEW.contact LIKE 'bad@%'
                BEGIN SELECT RAISE(\(kind), 'injected'); END;
            """)
        let results = await commits(of: CommitPace.full / 2, to: store) { $0 == 7 ? "bad" : "c\($0)" }
        for (number, result) in results {
            let rows = try await store.liveRequests(of: account(number))
            if number == 7 {
                #expect(throws: StoreError.self) { try result.get() }
                #expect(rows.isEmpty)
            } else {
                #expect(try result.get().last == rows.first)
                #expect(rows.count == 1)
            }
        }
        await store.close()
    }

    @Test("commits to a store that is closed fail, each")
    func closed() async throws {
        let store = try Store(path: folder.file("live.db"))
        await store.close()
        for result in await commits(of: 5, to: store, { "c\($0)" }).values {
            #expect(throws: StoreError.self) { try result.get() }
        }
    }

    @Test("changes in one transaction leave the rows that they leave one by one", arguments: 0..<40)
    func together(seed: Int) async throws {
        var random = Steps(state: UInt64(seed) &* 0x9E37_79B9 &+ 1)
        let names = ["a", "b"]
        let changes = (0..<12).map { _ in random.change(of: names) }
        let (one, each) = (try Store(path: ":memory:"), try Store(path: ":memory:"))
        let together = try await one.commit(
            account: DoorwardStoreTests.account, session: 1, at: time(0), changes: changes)
        var apart: [RequestRow?] = []
        for change in changes { apart.append(try await each.change(change)) }
        let bare = { (rows: [RequestRow?]) in
            rows.map { row in
                var row = row
                row?.revision = 0
                return row
            }
        }
        #expect(bare(together) == bare(apart))
        // A decision that was sent in its own transaction says so itself.
        let journal = """
            SELECT what FROM (
                SELECT request || kind || quote(decision) || quote(steps) || quote(state) AS what, request, id, 0 AS part
                    FROM journal
                UNION ALL
                SELECT request || 'sentNULL' || quote(sent) || 'NULL', request, id, 1 FROM journal WHERE sent IS NOT NULL
            ) ORDER BY request, id, part
            """
        #expect(try await one.texts(journal) == each.texts(journal))
        for id in 1...12 {
            #expect(bare([try await one.request(id: Int64(id))]) == bare([try await each.request(id: Int64(id))]))
        }
        // What is remembered of rows is what is on disk.
        for name in names {
            guard let known = await one.recent(contact(name)) else { continue }
            #expect(try await one.request(id: known.id) == known)
        }
    }
}

/// Draws changes; the same for the same seed.
private struct Steps {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    mutating func change(of names: [String]) -> RequestChange {
        let name = names[below(names.count)]
        let records = [Record.ask, Record.accept, Record.reject, Record.ignore, Record.observed]
        switch below(7) {
        case 0, 1: return .opened(delivered(name, "text \(below(3))"), records[below(records.count)])
        case 2: return .redelivered(delivered(name, "text \(below(3))"), below(2) == 0 ? nil : Record.accept)
        case 3: return .closed(contact: contact(name), as: withdrawal)
        case 4: return .written(contact: contact(name), steps: [.rosterSet, .verdict, .block], hadItem: false)
        case 5: return .confirmed(contact: contact(name), steps: [.rosterSet, .verdict, .block])
        default: return .dropped(contact: contact(name), steps: [.block], reason: "refused")
        }
    }
}

extension Store {
    fileprivate func recent(_ contact: BareJID) -> RequestRow? { recent.live(account, contact) }
}

@Suite("The pace of commits")
struct CommitPaceTests {
    @Test("the first, and one after a pause, are due at once; in between at the end of the window")
    func due() {
        var pace = CommitPace(window: .milliseconds(50))
        #expect(pace.due(1) <= 0)
        #expect(pace.end(at: 0) == nil)
        pace.began(at: 1_000_000_000)
        #expect(pace.due(1) == 1_050_000_000)
        #expect(pace.end(at: 1_020_000_000) == 1_050_000_000)
        #expect(pace.end(at: 1_050_000_000) == nil)
    }

    @Test("a burst is due at once")
    func burst() {
        var pace = CommitPace(window: .milliseconds(50))
        pace.began(at: 1_000_000_000)
        #expect(pace.due(CommitPace.full - 1) == 1_050_000_000)
        #expect(pace.due(CommitPace.full) <= 0)
    }

    @Test("without a window everything is due")
    func none() {
        var pace = CommitPace(window: .zero)
        pace.began(at: 1_000_000_000)
        #expect(pace.due(1) == 1_000_000_000)
        #expect(pace.end(at: 1_000_000_000) == nil)
    }
}
