import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("Contacts on disk")
struct ContactTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func row(_ name: String, _ item: RosterFact = RosterFact(subscription: .both)) -> ContactRow {
        ContactRow(jid: contact(name), item: item)
    }

    private func write(
        _ store: Store, at seconds: Int64, roster: [ContactRow]? = nil, _ mirror: [SessionChange.Mirror] = [],
        version: String? = nil, sightings: [BareJID: ContactSighting] = [:], online: OnlineTime? = nil
    ) async throws {
        var change = SessionChange(mirror: mirror)
        change.roster = roster
        change.rosterVersion = version
        change.sightings = sightings
        change.online = online
        _ = try await store.commit(account: account, session: 1, at: time(seconds), changes: [], beside: change)
    }

    @Test("a roster is kept with its version, which a push without one leaves, and a roster without one takes away")
    func versions() async throws {
        let store = try Store(path: ":memory:")
        #expect(try await store.keptRoster(of: account) == nil)
        try await write(store, at: 1, roster: [], version: nil)
        #expect(try await store.keptRoster(of: account) == KeptRoster(contacts: [], version: nil, asOf: time(1)))
        try await write(store, at: 2, roster: [row("ann")], version: "v7")
        try await write(store, at: 3, [.contact(row("bob"))], version: "v8")
        try await write(store, at: 4, [.contact(row("cid"))])
        let kept = try #require(try await store.keptRoster(of: account))
        #expect(kept.version == "v8")
        #expect(kept.contacts.map(\.jid) == ["ann", "bob", "cid"].map { contact($0) })
        try await write(store, at: 5, roster: [row("ann")])
        #expect(try await store.keptRoster(of: account)?.version == nil)
        #expect(try await store.keptRoster(of: otherAccount) == nil)
        await store.close()
    }

    @Test(
        "a failure at any row leaves version and items of before together",
        arguments: ["contact", "contact_evidence", "roster_state"])
    func together(table: String) async throws {
        let store = try Store(path: ":memory:")
        try await write(store, at: 1, roster: [row("ann")], version: "v1")
        try await store.execute(
            """
            CREATE TEMP TRIGGER f1 BEFORE INSERT ON main.\(table) BEGIN SELECT RAISE(ABORT, 'injected'); END;
            CREATE TEMP TRIGGER f2 BEFORE UPDATE ON main.\(table) BEGIN SELECT RAISE(ABORT, 'injected'); END;
            """)
        #expect(await failure { try await write(store, at: 2, [.contact(row("bob"))], version: "v2") } != nil)
        let kept = try #require(try await store.keptRoster(of: account))
        #expect(kept.version == "v1")
        #expect(kept.contacts == [row("ann")])
        await store.close()
    }

    @Test("a contact knows by whom it came: before us, by a rule, by an operator, by contact add, by another client")
    func origins() async throws {
        let store = try Store(path: ":memory:")
        try await write(store, at: 1, roster: [row("old")])
        try await store.change(.opened(delivered("friend"), Record.accept), at: time(2))
        try await store.change(.opened(delivered("stranger"), Record.ask), at: time(2))
        _ = try await store.answer([accepting(2)], at: time(3))
        let action = ContactAction(.add, account: account, contact: contact("new"), by: "ana", session: 1)
        let id = try await store.begin(action, at: time(4))
        let asked = RosterFact(subscription: .none, asked: true)
        try await write(
            store, at: 5,
            [.contact(row("friend")), .contact(row("stranger")), .contact(row("new", asked)), .contact(row("other"))])
        try await store.end(actions: [id], refusal: nil, at: time(5))
        let known = try await store.evidence(of: account)
        let words = known.map {
            "\($0.key.local ?? "") \($0.value.addedBy.rawValue) \($0.value.addedName ?? "-")"
        }.sorted()
        #expect(
            words == [
                "friend rule friends", "new contact_add ana", "old before -", "other other_client -",
                "stranger operator ana",
            ])
        #expect(known[contact("new")]?.askedAt == time(4))
        #expect(known[contact("new")]?.firstKnown == time(5))
        await store.close()
    }

    @Test("what another client adds again is not the operator's who added it before it was gone")
    func laterOrigin() async throws {
        let store = try Store(path: ":memory:")
        try await write(store, at: 1, roster: [])
        let add = ContactAction(.add, account: account, contact: contact("ann"), by: "ana", session: 1)
        _ = try await store.begin(add, at: time(2))
        try await write(store, at: 3, [.contact(row("ann"))])
        let remove = ContactAction(.remove, account: account, contact: contact("ann"), by: "ben", session: 1)
        _ = try await store.begin(remove, at: time(4))
        try await write(store, at: 5, [.removed(contact("ann"))])
        try await write(store, at: 6, [.contact(row("ann"))])
        #expect(try await store.evidence(of: account)[contact("ann")]?.addedBy == .otherClient)
        try await write(store, at: 7, [.removed(contact("ann"))])
        let gone = try await store.goneContacts(of: account, limit: 10)
        #expect(gone.map(\.by) == [.elsewhere, .operator])
        #expect(gone.map(\.operator) == [nil, "ben"])
        #expect(gone.last?.evidence?.addedName == "ana")
        #expect(gone.map(\.at) == [time(7), time(5)])
        await store.close()
    }

    @Test("who went while the account was away is told from who was removed; a thousand of them are kept")
    func gone() async throws {
        let store = try Store(path: ":memory:")
        let many = (0..<1200).map { row("c\($0)") }
        try await write(store, at: 1, roster: many)
        try await write(store, at: 2, roster: Array(many.prefix(100)))
        let gone = try await store.goneContacts(of: account, limit: 5000)
        #expect(gone.count == 1000)
        #expect(gone.allSatisfy { $0.by == .whileAway && $0.evidence?.addedBy == .before })
        #expect(try await store.evidence(of: account).count == 100)
        await store.close()
    }

    @Test("asking is timed from its beginning, ended by an answer, and a refusal stays until it is asked anew")
    func asking() async throws {
        let store = try Store(path: ":memory:")
        let (none, asked) = (RosterFact(subscription: .none), RosterFact(subscription: .none, asked: true))
        try await write(store, at: 1, roster: [row("ann", asked)])
        try await write(store, at: 2, [.contact(row("ann", RosterFact(subscription: .none, asked: true, name: "A")))])
        #expect(try await store.evidence(of: account)[contact("ann")]?.askedAt == time(1))
        try await write(store, at: 3, [.refused(contact("ann"), "not there"), .contact(row("ann", none))])
        var known = try #require(try await store.evidence(of: account)[contact("ann")])
        #expect(known.askedAt == nil)
        #expect(known.refusal == "not there")
        #expect(known.refusedAt == time(3))
        try await write(store, at: 4, [.contact(row("ann", asked))])
        known = try #require(try await store.evidence(of: account)[contact("ann")])
        #expect(known.askedAt == time(4))
        #expect(known.refusal == nil)
        try await write(store, at: 5, [.refused(contact("ann"), "x")])
        try await write(store, at: 6, [.contact(row("ann", RosterFact(subscription: .to)))])
        known = try #require(try await store.evidence(of: account)[contact("ann")])
        #expect(known.askedAt == nil)
        #expect(known.refusal == nil)
        await store.close()
    }

    @Test("what was seen never goes back in time, and of strangers nothing is kept")
    func sightings() async throws {
        let store = try Store(path: ":memory:")
        try await write(store, at: 1, roster: [row("ann")])
        let (ann, eve) = (contact("ann"), contact("eve"))
        try await write(
            store, at: 2,
            sightings: [ann: .init(presence: time(2), messageIn: time(2)), eve: .init(presence: time(2))])
        try await write(
            store, at: 3, sightings: [ann: .init(presence: time(1), messageOut: time(3), avatarChange: time(3))])
        let known = try await store.evidence(of: account)
        #expect(Array(known.keys) == [ann])
        #expect(known[ann]?.lastPresence == time(2))
        #expect(known[ann]?.lastMessageIn == time(2))
        #expect(known[ann]?.lastMessageOut == time(3))
        #expect(known[ann]?.lastAvatarChange == time(3))
        // A new item changes nothing of it, nor does a roster that cannot be read.
        try await write(store, at: 4, [.contact(row("ann", RosterFact(subscription: .to)))])
        try await store.execute("UPDATE contact SET contact = 'a@@b'")
        #expect(try await store.keptRoster(of: account) == nil)
        try await write(store, at: 5, roster: [row("ann")])
        #expect(try await store.evidence(of: account)[ann] == known[ann])
        await store.close()
    }

    @Test("times online that touch are one; a thousand are kept; a clock that goes back makes no other")
    func online() async throws {
        let store = try Store(path: ":memory:")
        func online(_ since: Int64, _ until: Int64) async throws {
            try await write(store, at: until, online: OnlineTime(since: time(since), until: time(until)))
        }
        try await online(0, 0)
        try await online(0, 100)
        try await online(150, 200)
        try await online(90, 95)
        #expect(try await store.onlineTimes(of: account) == [OnlineTime(since: time(0), until: time(200))])
        for index in 1...1100 { try await online(Int64(index) * 1000, Int64(index) * 1000 + 10) }
        let times = try await store.onlineTimes(of: account)
        #expect(times.count == 1000)
        #expect(times.last == OnlineTime(since: time(1_100_000), until: time(1_100_010)))
        await store.close()
    }

    @Test("what was seen of a contact is kept with its end, also where both are written at once")
    func seenUntilRemoved() async throws {
        let store = try Store(path: ":memory:")
        try await write(store, at: 1, roster: [row("ann")])
        try await write(
            store, at: 9, [.removed(contact("ann"))], sightings: [contact("ann"): .init(presence: time(8))])
        #expect(try await store.goneContacts(of: account, limit: 1).first?.evidence?.lastPresence == time(8))
        await store.close()
    }

    @Test("contacts of a file of before are known since their account's session began, and how is not")
    func migrated() async throws {
        let path = folder.file("old.db")
        do {
            let connection = try Connection(path: path)
            try Migration.bringUp(connection, steps: Array(Migration.all.prefix(3)))
            try connection.execute(
                """
                INSERT INTO account_session VALUES ('support@example.org', 5, 1767600000000);
                INSERT INTO contact VALUES ('support@example.org', 'ann@guests.example', 'none', 1, 'Ann', '');
                """)
        }
        let store = try Store(path: path)
        let kept = try #require(try await store.keptRoster(of: account))
        #expect(kept.version == nil)
        #expect(kept.contacts.map(\.jid) == [contact("ann")])
        #expect(
            try await store.evidence(of: account)[contact("ann")]
                == ContactEvidence(firstKnown: time(0), addedBy: .before, askedAt: time(0)))
        await store.close()
    }
}
