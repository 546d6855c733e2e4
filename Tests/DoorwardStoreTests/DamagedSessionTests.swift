import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

/// What is kept of sessions is a cache: what cannot be read of it is forgotten, and the next login brings it again.
@Suite("A damaged session")
struct DamagedSessionTests {
    /// A column, and what stands there instead of what was written.
    struct Damage: Sendable, CustomTestStringConvertible {
        let table: String
        let column: String
        let value: String

        var testDescription: String { "\(table).\(column) = \(value.prefix(40))" }
    }

    private static let number = ["NULL", "'seven'", "x'00'", "1.5"]
    private static let text = ["NULL", "x'FF00'", "CAST(x'FF41' AS TEXT)"]

    private static func damages(_ table: String, _ columns: [(String, [String])]) -> [Damage] {
        columns.flatMap { column, values in values.map { Damage(table: table, column: column, value: $0) } }
    }

    /// What belongs to the session's own row.
    static let inSession =
        damages(
            "resumable_session",
            [
                ("session", number + ["2", "-1", "9223372036854775807"]),
                (
                    "jid",
                    text + [
                        "''", "'@'", "'support@example.org/'", "'sales@example.org/doorward'",
                        "'support@other.example/x'",
                    ]
                ),
                ("id", text + ["''"]), ("location", ["x'FF00'", "CAST(x'FF41' AS TEXT)"]),
                ("maximum", ["'seven'", "x'00'", "1.5"]), ("features", text), ("can_block", number),
            ])
        + damages(
            "stream_count",
            ["inbound", "outbound", "acknowledged"].map { ($0, number + ["-1", "4294967296", "9223372036854775807"]) }
                + [("at", number + ["-1", "-9223372036854775807 - 1"])])

    /// What belongs to its contacts.
    static let inContacts =
        damages(
            "contact",
            [
                ("contact", ["x'FF00'", "CAST(x'FF41' AS TEXT)", "''", "'@'", "'a@b@c'"]),
                ("subscription", text + ["''", "'maybe'"]), ("asked", number),
                ("name", ["x'FF00'", "CAST(x'FF41' AS TEXT)"]), ("groups", text),
            ])
        + damages(
            "contact_resource",
            [
                ("contact", ["x'FF00'", "CAST(x'FF41' AS TEXT)", "''", "'@'"]),
                ("resource", ["x'FF00'", "CAST(x'FF41' AS TEXT)", "'\u{7}'"]),
                ("priority", number + ["128", "-129"]), ("show", ["x'FF00'", "'online '", "'busy'", "7"]),
                ("status", ["x'FF00'", "CAST(x'FF41' AS TEXT)"]), ("idle_since", ["'seven'", "x'00'", "1.5"]),
                ("at", number),
            ])

    private let contact1 = ContactRow(jid: contact("ann"), item: RosterFact(subscription: .both, groups: ["A"]))

    private func damaged(_ damage: Damage) async throws -> Store {
        let store = try Store(path: ":memory:")
        for owner in [account, otherAccount] {
            let number = try await store.beginSession(account: owner, at: time(0))
            _ = try await store.commit(
                account: owner, session: number, at: time(0), changes: [],
                beside: change(owner, number))
        }
        // Without the types of the columns, as a file that was written by something else.
        let keys = ["contact": "account, contact", "contact_resource": "account, contact, resource"]
        try await store.execute(
            """
            CREATE TABLE loose AS SELECT * FROM \(damage.table);
            DROP TABLE \(damage.table);
            ALTER TABLE loose RENAME TO \(damage.table);
            CREATE UNIQUE INDEX loose_key ON \(damage.table)(\(keys[damage.table] ?? "account"));
            UPDATE \(damage.table) SET \(damage.column) = \(damage.value) WHERE account = '\(account)';
            """)
        return store
    }

    private func change(_ owner: BareJID, _ number: Int64) throws -> SessionChange {
        let saved = SavedSession(
            number: number, jid: try JID(owner, resource: "doorward"), id: "some-id", location: "[::1]:5222",
            maximum: 600, features: "<features/>", canBlock: true,
            counts: StreamCounts(inbound: 7, outbound: .max, acknowledged: 3))
        return SessionChange(
            begun: saved,
            knowing: SessionMirror(
                contacts: [contact1], available: [ResourceRow(try JID(contact("ann"), resource: "desk"), show: .away)]))
    }

    /// The next session of the account is kept as if nothing had been there; that of another account was not touched.
    private func startsAnew(_ store: Store) async throws {
        let number = try await store.beginSession(account: account, at: time(1))
        let change = try change(account, number)
        _ = try await store.commit(account: account, session: number, at: time(1), changes: [], beside: change)
        #expect(try await store.savedSession(of: account)?.number == number)
        let expected = SessionMirror(contacts: change.roster ?? [], available: change.available)
        #expect(try await store.mirror(of: account) == expected)
        #expect(try await store.savedSession(of: otherAccount) != nil)
        #expect(try await store.mirror(of: otherAccount) == expected)
        await store.close()
    }

    @Test("is forgotten whatever of it cannot be what was written", arguments: inSession)
    func session(_ damage: Damage) async throws {
        let store = try await damaged(damage)
        #expect(try await store.savedSession(of: account) == nil)
        #expect(try await store.mirror(of: account) == SessionMirror())
        #expect(try await store.savedSession(of: account) == nil)
        try await startsAnew(store)
    }

    @Test("is forgotten with contacts that cannot be what was written", arguments: inContacts)
    func contacts(_ damage: Damage) async throws {
        let store = try await damaged(damage)
        #expect(try await store.savedSession(of: account) != nil)
        #expect(try await store.mirror(of: account) == nil)
        #expect(try await store.savedSession(of: account) == nil)
        #expect(try await store.mirror(of: account) == SessionMirror())
        try await startsAnew(store)
    }

    @Test("is no obstacle to the next one, also where nobody asked for it", arguments: inSession + inContacts)
    func unread(_ damage: Damage) async throws {
        let store = try await damaged(damage)
        try await startsAnew(store)
    }
}
