import DoorwardPolicy
import Foundation
import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("Crashes and faults")
struct CrashTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Some of everything, a transaction each.
    private static func transactions() -> [@Sendable (Store) async throws -> Void] {
        var steps: [@Sendable (Store) async throws -> Void] = []
        for index in 0..<10 {
            let name = "c\(index)"
            let at = time(Int64(index))
            steps.append { _ = try await $0.beginSession(account: account, at: at) }
            steps.append {
                _ = try await $0.commit(
                    account: account,
                    session: 1,
                    at: at,
                    changes: [
                        .opened(delivered(name), Record.accept), .opened(delivered(name + "-ask"), Record.ask),
                        .opened(delivered(name + "-no", String(repeating: "x", count: 3000)), Record.reject),
                    ]
                )
            }
            steps.append {
                _ = try await $0.change(
                    .written(contact: contact(name), steps: [.rosterSet, .verdict], hadItem: false),
                    at: at
                )
            }
            steps.append { _ = try await $0.change(.confirmed(contact: contact(name), steps: [.verdict]), at: at) }
            steps.append {
                let counts = StreamCounts(inbound: UInt32(index), outbound: 1, acknowledged: 0)
                let row = ContactRow(jid: contact(name), item: .init(subscription: .from))
                _ = try await $0.commit(
                    account: account, session: 1, at: at, changes: [.redelivered(delivered(name + "-ask"), nil)],
                    beside: SessionChange(mirror: [.contact(row)], counts: counts))
            }
            steps.append { try await $0.save(LoginRow(isStrong: true, userAgent: name), of: account) }
            let id = Int64(index * 3 + 2)
            steps.append { _ = try await $0.answer([accepting(id)], at: at) }
            steps.append { _ = try await $0.raiseAlert(code: name, account: account, text: "t", at: at) }
        }
        return steps
    }

    @Test("after a crash at any commit all that was acknowledged is there", arguments: [1000, 3])
    func everyCommit(checkpointEvery pages: Int) async throws {
        let store = try Store(path: folder.file("live.db"))
        try await store.execute("PRAGMA wal_autocheckpoint = \(pages)")
        for (index, transaction) in Self.transactions().enumerated() {
            try await transaction(store)
            try folder.copy("live.db", to: "copy.db")
            let copy = try Store(path: folder.file("copy.db"))
            #expect(try await copy.dump() == store.dump(), "after \(index)")
            #expect(try await copy.integrity() == ["ok"])
            await copy.close()
        }
        await store.close()
    }

    @Test("a torn log loses the transactions of its tail, each as a whole")
    func tornLog() async throws {
        do {
            let store = try Store(path: folder.file("live.db"))
            await store.close()
        }
        let store = try Store(path: folder.file("live.db"))
        try await store.execute("PRAGMA wal_autocheckpoint = 0")
        var snapshots = [try await store.dump()]
        var sizes = [0]
        for transaction in Self.transactions().prefix(32) {
            try await transaction(store)
            snapshots.append(try await store.dump())
            sizes.append(try folder.size("live.db-wal"))
        }
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.file("live.db-wal")))
        // Each frame, which is a page with a header of 24 bytes (https://www.sqlite.org/fileformat2.html#walformat), is cut
        // somewhere, and each commit at its end and beside it.
        var lengths = Array(stride(from: 0, through: log.count, by: 4001))
        for size in sizes { lengths += [size - 1, size, size + 1].filter { 0...log.count ~= $0 } }
        for length in lengths {
            // Once cut, once followed by bytes that were never written whole.
            for tail in [Data(), Data(repeating: 0xA5, count: log.count - length)] {
                try folder.copy("live.db", to: "copy.db")
                try (log.prefix(length) + tail).write(to: URL(fileURLWithPath: folder.file("copy.db-wal")))
                let whole = try #require(sizes.lastIndex { $0 <= length })
                let copy = try Store(path: folder.file("copy.db"))
                #expect(try await copy.dump() == snapshots[whole], "cut at \(length)")
                #expect(try await copy.integrity() == ["ok"])
                await copy.close()
            }
        }
        await store.close()
    }

    @Test("a full disk writes nothing of a batch, and the store goes on when there is room")
    func full() async throws {
        let store = try Store(path: folder.file("live.db"))
        let changes = (0..<40).map {
            RequestChange.opened(delivered("c\($0)", String(repeating: "x", count: 2000)), Record.ask)
        }
        let before = try await store.dump()
        var refused = 0
        for pages in 1...200 {
            try await store.execute("PRAGMA max_page_count = \(pages)")
            let error = await failure {
                try await store.commit(account: account, session: 1, at: time(0), changes: changes)
            }
            guard let error else { break }
            refused += 1
            #expect(error.code == .full)
            #expect(try await store.dump() == before)
        }
        #expect(refused > 10)
        #expect(try await store.pending(all: false, account: nil).count == 40)
        #expect(try await store.integrity() == ["ok"])
        await store.close()
    }

    @Test(
        "a failure at any row of a batch undoes the batch",
        arguments: [
            "BEFORE INSERT ON main.request", "AFTER INSERT ON main.request",
            "BEFORE INSERT ON main.journal", "AFTER INSERT ON main.journal", "AFTER UPDATE ON main.counter",
            "AFTER UPDATE ON main.request",
        ],
        ["ABORT", "FAIL", "ROLLBACK"]
    )
    func anyRow(event: String, kind: String) async throws {
        let store = try Store(path: ":memory:")
        try await store.change(.opened(delivered("seen"), Record.ask))
        try await store.execute("CREATE TEMP TABLE calls(n INTEGER); INSERT INTO calls VALUES (0)")
        let changes: [RequestChange] = [
            .opened(delivered("a"), Record.accept), .opened(delivered("b"), Record.ask),
            .redelivered(delivered("seen", "new"), nil), .opened(delivered("c"), Record.reject),
            .written(contact: contact("a"), steps: [.verdict], hadItem: false),
        ]
        let before = try await store.dump()
        var failures = 0
        for count in 1...10 {
            try await store.execute(
                """
                UPDATE calls SET n = 0;
                CREATE TEMP TRIGGER fault \(event) BEGIN
                    UPDATE calls SET n = n + 1;
                    SELECT RAISE(\(kind), 'injected') WHERE (SELECT n FROM calls) = \(count);
                END;
                """
            )
            let error = await failure {
                try await store.commit(account: account, session: 1, at: time(0), changes: changes)
            }
            try await store.execute("DROP TRIGGER fault")
            guard error != nil else { break }
            failures += 1
            #expect(try await store.dump() == before, "\(event) \(count)")
        }
        #expect((1...9).contains(failures))
        #expect(try await store.request(id: 2)?.outbox?.step(.verdict)?.state == .written(session: 1))
    }

    @Test(
        "a row that is not what was written is an error, never a trap",
        arguments: [
            "UPDATE request SET account = ''", "UPDATE request SET contact = 'a@@b@'", "UPDATE request SET state = 'x'",
            "UPDATE request SET decision = 'x'", "UPDATE request SET options = '{'",
            "UPDATE request SET message = CAST(x'FF' AS TEXT)", "UPDATE request SET steps = 'verdict:written:x'",
        ]
    )
    func damagedRow(sql: String) async throws {
        let store = try Store(path: ":memory:")
        try await store.change(.opened(delivered("ann"), Record.accept))
        try await store.execute(sql)
        #expect(await failure { try await store.request(id: 1) }?.code == .corrupt)
    }

    @Test("counters at the end of their range do not trap")
    func overflow() async throws {
        let store = try Store(path: ":memory:")
        try await store.change(.opened(delivered("ann"), Record.ask))
        try await store.execute("UPDATE request SET seen_count = \(Int.max), version = \(Int.max)")
        let row = try await store.change(.redelivered(delivered("ann", "new"), nil))
        #expect(row?.version == .max)
        #expect(row?.seenCount == .max)
        try await store.execute("UPDATE counter SET value = \(Int64.max)")
        #expect(await failure { try await store.change(.opened(delivered("bob"), Record.ask)) } != nil)
        #expect(await failure { try await store.beginSession(account: account, at: time(0)) } != nil)
    }

    @Test("a file with any byte changed opens or is refused, and never traps")
    func flippedBytes() async throws {
        do {
            let store = try Store(path: folder.file("live.db"))
            for transaction in Self.transactions() { try await transaction(store) }
            await store.close()
        }
        let file = try Data(contentsOf: URL(fileURLWithPath: folder.file("live.db")))
        var seed: UInt64 = 0x5EED
        for _ in 0..<300 {
            var damaged = file
            for _ in 0..<8 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                damaged[Int(seed >> 33) % damaged.count] = UInt8(truncatingIfNeeded: seed >> 20)
            }
            try damaged.write(to: URL(fileURLWithPath: folder.file("copy.db")))
            try? FileManager.default.removeItem(atPath: folder.file("copy.db-wal"))
            guard let store = try? Store(path: folder.file("copy.db")) else { continue }
            _ = try? await store.pending(all: true, account: nil)
            _ = try? await store.liveRequests(of: account)
            _ = try? await store.history(limit: 1000, before: nil, account: nil)
            _ = try? await store.alerts(all: true)
            _ = try? await store.change(.opened(delivered("new"), Record.accept))
            for id in 1...30 { _ = try? await store.request(id: Int64(id)) }
            await store.close()
        }
    }

    @Test("five hundred requests of one read are one transaction")
    func manyAtOnce() async throws {
        let store = try Store(path: folder.file("live.db"))
        let changes = (0..<500).map { RequestChange.opened(delivered("c\($0)"), Record.accept) }
        let rows = try await store.commit(account: account, session: 1, at: time(0), changes: changes)
        #expect(rows.count == 500)
        #expect(try await store.liveRequests(of: account).count == 500)
        await store.close()
    }
}
