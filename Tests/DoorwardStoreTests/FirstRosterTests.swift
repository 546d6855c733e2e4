import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("The first roster of an account on disk")
struct FirstRosterTests {
    private func row(_ name: String, _ item: RosterFact = RosterFact(subscription: .both)) -> ContactRow {
        ContactRow(jid: contact(name), item: item)
    }

    private func write(_ store: Store, at seconds: Int64, roster: [ContactRow]) async throws {
        var change = SessionChange()
        (change.roster, change.rosterVersion) = (roster, "v1")
        _ = try await store.commit(account: account, session: 1, at: time(seconds), changes: [], beside: change)
    }

    @Test("the first roster of an account is written as a whole: what is known of each is as if it came one by one")
    func first() async throws {
        let items = [
            RosterFact(subscription: .none), RosterFact(subscription: .none, asked: true),
            RosterFact(subscription: .both, name: "caf\u{E9}", groups: ["A", "B"]),
            RosterFact(subscription: .from, name: "", groups: ["cafe\u{301}"]),
            RosterFact(subscription: .to, asked: true),
        ]
        let roster = (0..<300).map { row("c\($0 * 7 % 300)", items[$0 % items.count]) }
        let (fresh, old) = (try Store(path: ":memory:"), try Store(path: ":memory:"))
        // Whoever has a past is looked up one by one.
        try await old.change(.opened(delivered("friend"), Record.accept), at: time(1))
        for store in [fresh, old] { try await write(store, at: 2, roster: roster) }
        let (kept, other) = (try await fresh.keptRoster(of: account), try await old.keptRoster(of: account))
        #expect(kept == other && kept?.contacts.count == 300)
        #expect(Set(kept?.contacts ?? []) == Set(roster))
        let (known, others) = (try await fresh.evidence(of: account), try await old.evidence(of: account))
        #expect(known == others && known.count == 300)
        let asked = try #require(known[contact("c7")])
        #expect(asked.addedBy == .before && asked.firstKnown == time(2) && asked.askedAt == time(2))
        #expect(known[contact("c0")]?.askedAt == nil)
        for store in [fresh, old] { await store.close() }
    }

    @Test("a first roster of which one row fails is not there at all", arguments: ["contact", "contact_evidence"])
    func firstFails(table: String) async throws {
        let store = try Store(path: ":memory:")
        try await store.execute(
            """
            CREATE TEMP TRIGGER f BEFORE INSERT ON main.\(table) WHEN NEW.contact LIKE 'c150@%'
            BEGIN SELECT RAISE(ABORT, 'injected'); END;
            """)
        let roster = (0..<300).map { row("c\($0)") }
        #expect(await failure { try await write(store, at: 1, roster: roster) } != nil)
        #expect(try await store.keptRoster(of: account) == nil)
        #expect(try await store.evidence(of: account).isEmpty)
        try await store.execute("DROP TRIGGER f")
        try await write(store, at: 2, roster: roster)
        #expect(try await store.keptRoster(of: account)?.contacts.count == 300)
        await store.close()
    }
}
