import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("Migrations")
struct MigrationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func schema(_ connection: Connection) throws -> [String] {
        try connection.all("SELECT name || ': ' || ifnull(sql, '') FROM sqlite_schema ORDER BY name") {
            row throws(StoreError) in try row.text()
        }
    }

    private func version(_ connection: Connection) throws -> Int64? {
        try connection.first("PRAGMA user_version") { row throws(StoreError) in try row.integer() }
    }

    @Test("an empty file gets every step; again, none")
    func empty() throws {
        let connection = try Connection(path: folder.file("a.db"))
        try Migration.bringUp(connection)
        let made = try schema(connection)
        #expect(try version(connection) == Int64(Migration.all.count))
        try Migration.bringUp(connection)
        #expect(try schema(connection) == made)
    }

    @Test("a file of version 1 opens with all its rows, and has the schema of a new one")
    func versionOne() async throws {
        do {
            let connection = try Connection(path: folder.file("old.db"))
            try connection.execute(versionOneFile)
        }
        let store = try Store(path: folder.file("old.db"))
        let fresh = try Connection(path: ":memory:")
        try Migration.bringUp(fresh)
        #expect(try await store.schema() == schema(fresh))
        let row = try #require(try await store.pending(all: false, account: account).first)
        #expect(row.id == 12)
        #expect(row.message == "hello")
        #expect(row.contact == contact("ann"))
        let accepted = try #require(try await store.request(id: 13))
        #expect(accepted.decision == .accept(.init(groups: ["guests"])))
        #expect(accepted.outbox?.step(.verdict)?.state == .written(session: 5))
        #expect(accepted.outbox?.hadItem == false)
        #expect(try await store.history(limit: 9, before: nil, account: nil).map(\.state) == [.sent, .waiting])
        #expect(try await store.beginSession(account: account, at: time(0)) == 6)
        #expect(try await store.change(.opened(delivered("new"), Record.ask))?.id == 14)
        #expect(try await store.alerts(all: false).map(\.code) == ["account_parked"])
        #expect(try await store.savedSession(of: account) == nil)
        #expect(try await store.login(of: account) == nil)
        await store.close()
    }

    @Test("a file of version 2 keeps its logins and the session to be resumed, with every kind of contact")
    func versionTwo() async throws {
        do {
            let connection = try Connection(path: folder.file("old.db"))
            try connection.execute(versionTwoFile)
        }
        let store = try Store(path: folder.file("old.db"))
        #expect(
            try await store.texts("SELECT contact || ' ' || subscription || ' ' || asked || ' ' || groups FROM contact")
                == [
                    "ann@guests.example none 1 []", "bob@guests.example to 0 []", "cid@guests.example from 0 []",
                    "dan@guests.example both 0 [\"guests\"]",
                ])
        #expect(try await store.savedSession(of: account)?.counts.inbound == 7)
        #expect(try await store.login(of: account)?.isBound == true)
        #expect(try await store.request(id: 13)?.outbox?.step(.verdict)?.state == .written(session: 5))
        #expect(try await store.beginSession(account: account, at: time(0)) == 6)
        await store.close()
    }

    @Test("who was available in a session of before is so, and said nothing")
    func beforePresence() async throws {
        do {
            let connection = try Connection(path: folder.file("old.db"))
            try Migration.bringUp(connection, steps: Array(Migration.all.prefix(8)))
            try connection.execute(
                "INSERT INTO contact_resource VALUES ('support@example.org', 'ann@guests.example', 'phone')")
        }
        let store = try Store(path: folder.file("old.db"))
        let phone = ResourceRow(try JID("ann@guests.example/phone"))
        #expect(try await store.mirror(of: account)?.available == [phone])
        await store.close()
    }

    @Test("whom an invitation let in is said to be there by it, and nobody else")
    func beforeOrigins() async throws {
        do {
            let connection = try Connection(path: folder.file("old.db"))
            try Migration.bringUp(connection, steps: Array(Migration.all.prefix(9)))
            try connection.execute(
                """
                INSERT INTO invitation(account, digest, uses, made_by, made_at, expires_at)
                    VALUES ('support@example.org', 'd', 1, 'ana', 1, 9);
                """)
            for (id, name, by) in [(1, "ann", "token"), (2, "bob", "rule"), (3, "cid", "token")] {
                let contact = "\(name)@guests.example"
                try connection.execute(
                    """
                    INSERT INTO request(id, account, contact, received_at, last_seen_at, seen_count, session, version, state,
                        live, on_desk, revision, invitation)
                        VALUES (\(id), 'support@example.org', '\(contact)', 1, 1, 1, 1, 1, 'accepted', 0, 0, \(id),
                            \(by == "token" ? "1" : "NULL"));
                    INSERT INTO journal(request, at, kind, account, contact, session, decision, by, acts)
                        VALUES (\(id), 1, 'decided', 'support@example.org', '\(contact)', 1, 'accept', '\(by)', 1);
                    INSERT INTO contact_evidence(account, contact, first_known, added_by)
                        VALUES ('support@example.org', '\(contact)', 1, '\(name == "cid" ? "before" : "rule")');
                    """)
            }
        }
        let store = try Store(path: folder.file("old.db"))
        let known = try await store.evidence(of: account)
        #expect(known[contact("ann")]?.addedBy == .invitation && known[contact("ann")]?.addedName == "ana")
        #expect(known[contact("bob")]?.addedBy == .rule && known[contact("bob")]?.addedName == nil)
        #expect(known[contact("cid")]?.addedBy == .before)
        await store.close()
    }

    @Test("a step that fails leaves the version before it whole")
    func failing() throws {
        let connection = try Connection(path: folder.file("a.db"))
        try Migration.bringUp(connection)
        let made = try schema(connection)
        let step = Migration(sql: "CREATE TABLE extra(a INTEGER); INSERT INTO nowhere VALUES (1)")
        #expect(throws: StoreError.self) { try Migration.bringUp(connection, steps: Migration.all + [step]) }
        #expect(try schema(connection) == made)
        #expect(try version(connection) == Int64(Migration.all.count))
        let good = Migration(sql: "CREATE TABLE extra(a INTEGER)")
        try Migration.bringUp(connection, steps: Migration.all + [good])
        #expect(try version(connection) == Int64(Migration.all.count) + 1)
    }

    @Test("a store of a newer doorward is refused with words, and not touched")
    func newer() async throws {
        let path = folder.file("a.db")
        let store = try Store(path: path)
        try await store.execute("PRAGMA user_version = 99")
        await store.close()
        let error = await failure { try Store(path: path) }
        #expect(error?.code == .newerSchema)
        #expect(error?.description.contains("99") == true)
        #expect(try version(Connection(path: path)) == 99)
    }

    @Test(
        "a database of another program is refused",
        arguments: [
            "CREATE TABLE t(a)", "PRAGMA application_id = 7", "PRAGMA user_version = 1", "PRAGMA user_version = -3",
        ]
    )
    func foreign(sql: String) async throws {
        let path = folder.file("a.db")
        do { try Connection(path: path).execute(sql) }
        #expect(await failure { try Store(path: path) }?.code == .cannotOpen)
    }
}

extension Store {
    func schema() throws -> [String] {
        try texts("SELECT name || ': ' || ifnull(sql, '') FROM sqlite_schema ORDER BY name")
    }
}

/// A file as version 1 wrote it, frozen: later versions must go on opening it.
private let versionOneFile =
    Migration.schemaVersion1.sql + """
        PRAGMA user_version = 1;
        PRAGMA application_id = 1146246980;
        UPDATE counter SET value = 5 WHERE name = 'session';
        UPDATE counter SET value = 31 WHERE name = 'revision';
        INSERT INTO request VALUES (12, 'support@example.org', 'ann@guests.example', 'hello', NULL, 1, 2, 3, 5, 1, 'open',
            1, 1, 'ask', NULL, 'strangers', 'community', 30);
        INSERT INTO request VALUES (13, 'support@example.org', 'bob@guests.example', NULL, 'Bob', 1, 2, 1, 5, 1, 'accepted',
            1, 0, 'accept', '{"groups":["guests"],"subscribe_back":false}', 'friends', 'community', 31);
        INSERT INTO outbox VALUES (13, 0, 'roster_set:confirmed verdict:written:5');
        INSERT INTO journal(request, at, kind, account, contact, session, decision, by, acts)
            VALUES (12, 1, 'decided', 'support@example.org', 'ann@guests.example', 5, 'ask', 'rule', 1);
        INSERT INTO journal(request, at, kind, account, contact, session, decision, by, acts)
            VALUES (13, 1, 'decided', 'support@example.org', 'bob@guests.example', 5, 'accept', 'rule', 1);
        INSERT INTO journal(request, at, kind, account, contact, session, steps)
            VALUES (13, 2, 'sent', 'support@example.org', 'bob@guests.example', 5, 'roster_set verdict');
        INSERT INTO alert VALUES (1, 1, 'support@example.org', 'account_parked', 'wrong password', NULL);
        """

/// The same behind version 2, with a session that can be resumed.
private let versionTwoFile =
    versionOneFile + Migration.schemaVersion2.sql + """
        PRAGMA user_version = 2;
        INSERT INTO account_login VALUES ('support@example.org', 1, 1, 'd4565fa7-4d72-4749-b3d3-740edbf87770', NULL, NULL,
            NULL);
        INSERT INTO resumable_session VALUES ('support@example.org', 5, 'support@example.org/doorward', 'sm-1', NULL, 600,
            '<features xmlns=''http://etherx.jabber.org/streams''/>', 1);
        INSERT INTO stream_count VALUES ('support@example.org', 7, 4, 4, 3);
        INSERT INTO contact VALUES ('support@example.org', 'ann@guests.example', 'none', 1, 'Ann', '[]');
        INSERT INTO contact VALUES ('support@example.org', 'bob@guests.example', 'to', 0, NULL, '[]');
        INSERT INTO contact VALUES ('support@example.org', 'cid@guests.example', 'from', 0, NULL, '[]');
        INSERT INTO contact VALUES ('support@example.org', 'dan@guests.example', 'both', 0, NULL, '["guests"]');
        """
