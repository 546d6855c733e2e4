import DoorwardPolicy
import Testing
import XMPPCore
import XMPPCrypto

@testable import DoorwardStore

@Suite("Logins and sessions that outlive their process")
struct SessionTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func session(_ number: Int64 = 1, inbound: UInt32 = 0) throws -> SavedSession {
        SavedSession(
            number: number, jid: try JID("support@example.org/doorward"), id: "some-id", location: "[::1]:5222",
            maximum: 600, features: "<features/>", canBlock: true,
            counts: StreamCounts(inbound: inbound, outbound: .max, acknowledged: 3))
    }

    private func row(_ name: String, _ item: RosterFact = RosterFact(subscription: .both)) -> ContactRow {
        ContactRow(jid: contact(name), item: item)
    }

    @Test("memory and token are kept with a session or alone, and forgotten together; the user agent stays")
    func login() async throws {
        let path = folder.file("doorward.db")
        let token = LoginRow.Token(mechanism: "HT-SHA-256-EXPR", secret: Secret("t0ken'\u{1F}ö"), expiry: "2027")
        do {
            let store = try Store(path: path)
            #expect(try await store.login(of: account) == nil)
            let other = LoginRow(userAgent: "other")
            #expect(try await store.beginSession(account: otherAccount, at: time(0), keeping: other) == 1)
            #expect(try await store.login(of: otherAccount) == other)
            #expect(try await store.beginSession(account: otherAccount, at: time(0)) == 2)
            #expect(try await store.login(of: otherAccount) == other)
            let row = LoginRow(isStrong: true, isBound: true, userAgent: "first", token: token)
            try await store.save(row, of: account)
            await store.close()
        }
        let store = try Store(path: path)
        let read = try #require(try await store.login(of: account))
        #expect(read == LoginRow(isStrong: true, isBound: true, userAgent: "first", token: token))
        #expect(!"\(read)".contains("t0ken"))
        #expect(!String(reflecting: read).contains("t0ken"))
        try await store.forgetLogin(of: account)
        #expect(try await store.login(of: account) == LoginRow(userAgent: "first"))
        try await store.forgetLogin(of: BareJID(preparedLocal: "nobody", preparedDomain: "example.org"))
        await store.close()
    }

    @Test("a session is kept with its counts and contacts, over the end of the process")
    func session() async throws {
        let path = folder.file("doorward.db")
        let items = [
            row("ann", RosterFact(subscription: .from, asked: true, name: "Ann \"A\"", groups: ["Friends", "a,b\n"])),
            row("bob", RosterFact(subscription: .none)),
        ]
        let available = [
            ResourceRow(try JID(contact("ann"), resource: "phone/1"), priority: -128, show: .doNotDisturb, at: time(3)),
            ResourceRow(
                try JID(contact("ann"), resource: "desk"), priority: 127, show: .away, status: "at 'lunch'\n",
                idleSince: time(1), at: time(2)),
            ResourceRow(JID(contact("gate"))),
        ]
        do {
            let store = try Store(path: path)
            #expect(try await store.savedSession(of: account) == nil)
            _ = try await store.commit(
                account: account, session: 1, at: time(1), changes: [.opened(delivered("new"), Record.ask)],
                beside: SessionChange(
                    begun: try session(inbound: 7), knowing: SessionMirror(contacts: items, available: available)))
            await store.close()
        }
        let store = try Store(path: path)
        var expected = try session(inbound: 7)
        expected.savedAt = time(1)
        #expect(try await store.savedSession(of: account) == expected)
        let mirror = try #require(try await store.mirror(of: account))
        #expect(mirror.contacts == items)
        #expect(Set(mirror.available) == Set(available))
        #expect(try await store.liveRequests(of: account).count == 1)
        #expect(try await store.savedSession(of: otherAccount) == nil)
        #expect(try await store.mirror(of: otherAccount) == SessionMirror())
        await store.close()
    }

    @Test("changes of contacts and counts are written with the requests of their read")
    func changes() async throws {
        let store = try Store(path: ":memory:")
        let phone = try JID("ann@guests.example/phone")
        let desk = ResourceRow(try JID("ann@guests.example/desk"))
        let away = ResourceRow(phone, priority: 5, show: .away, status: "soon", idleSince: time(1), at: time(1))
        func write(_ mirror: [SessionChange.Mirror], _ inbound: UInt32) async throws {
            _ = try await store.commit(
                account: account, session: 1, at: time(Int64(inbound)), changes: [],
                beside: SessionChange(
                    mirror: mirror, counts: StreamCounts(inbound: inbound, outbound: 1, acknowledged: 0)))
        }
        _ = try await store.commit(
            account: account, session: 1, at: time(0), changes: [],
            beside: SessionChange(begun: try session(), knowing: SessionMirror(contacts: [row("ann")])))
        try await write([.available(ResourceRow(phone)), .available(desk), .available(away), .contact(row("bob"))], 1)
        #expect(try await Set(store.mirror(of: account)?.available ?? []) == [away, desk])
        #expect(try await store.savedSession(of: account)?.counts.inbound == 1)
        try await write([.unavailable(phone), .removed(contact("ann"))], 2)
        #expect(try await store.mirror(of: account)?.available == [desk])
        #expect(try await store.mirror(of: account)?.contacts == [row("bob")])
        try await write([.gone(contact("ann")), .contact(row("bob", RosterFact(subscription: .to)))], 3)
        #expect(try await store.mirror(of: account)?.available == [])
        #expect(try await store.mirror(of: account)?.contacts == [row("bob", RosterFact(subscription: .to))])
        #expect(try await store.savedSession(of: account)?.savedAt == time(3))
        await store.close()
    }

    @Test("a long status is cut between two characters; every word of show is kept")
    func presences() async throws {
        let store = try Store(path: ":memory:")
        let phone = try JID("ann@guests.example/phone")
        for (status, kept) in [
            (String(repeating: "a", count: 128), String(repeating: "a", count: 128)),
            (String(repeating: "a", count: 129), String(repeating: "a", count: 125) + "…"),
            (String(repeating: "é", count: 70), String(repeating: "é", count: 62) + "…"),
        ] {
            for show in ResourceRow.Show.allCases {
                var change = SessionChange(mirror: [.available(ResourceRow(phone, show: show, status: status))])
                change.counts = StreamCounts()
                _ = try await store.commit(account: account, session: 1, at: time(0), changes: [], beside: change)
                #expect(
                    try await store.mirror(of: account)?.available == [ResourceRow(phone, show: show, status: kept)])
            }
        }
        await store.close()
    }

    @Test("the bare address of a gateway is one more resource, which goes with all of them")
    func gateways() async throws {
        let store = try Store(path: ":memory:")
        func write(_ mirror: [SessionChange.Mirror]) async throws {
            let change = SessionChange(mirror: mirror, counts: StreamCounts())
            _ = try await store.commit(account: account, session: 1, at: time(0), changes: [], beside: change)
        }
        let gate = ResourceRow(JID(contact("gate")), show: .away)
        let desk = ResourceRow(try JID(contact("gate"), resource: "desk"))
        try await write([.available(gate), .available(desk)])
        #expect(try await Set(store.mirror(of: account)?.available ?? []) == [gate, desk])
        try await write([.unavailable(desk.jid)])
        #expect(try await store.mirror(of: account)?.available == [gate])
        try await write([.gone(contact("gate"))])
        #expect(try await store.mirror(of: account)?.available == [])
        await store.close()
    }

    @Test("another session replaces what the one before knew, and writes only what differs")
    func replaced() async throws {
        let store = try Store(path: ":memory:")
        let first = SessionMirror(
            contacts: [row("ann"), row("bob"), row("eve")],
            available: [ResourceRow(try JID("ann@guests.example/phone"))])
        #expect(try await store.beginSession(account: account, at: time(0)) == 1)
        _ = try await store.commit(
            account: account, session: 1, at: time(0), changes: [],
            beside: SessionChange(begun: try session(), knowing: first))
        #expect(try await store.beginSession(account: account, at: time(1)) == 2)
        #expect(try await store.savedSession(of: account) == nil)
        try await store.execute(
            """
            CREATE TEMP TABLE touched(contact TEXT);
            CREATE TEMP TRIGGER t1 AFTER INSERT ON main.contact BEGIN INSERT INTO touched VALUES (NEW.contact); END;
            """)
        let second = SessionMirror(contacts: [row("ann"), row("bob", RosterFact(subscription: .to)), row("new")])
        _ = try await store.commit(
            account: account, session: 2, at: time(2), changes: [],
            beside: SessionChange(begun: try session(2), knowing: second))
        #expect(
            try await store.texts("SELECT contact FROM touched ORDER BY 1") == [
                "bob@guests.example", "new@guests.example",
            ])
        #expect(try await Set(store.mirror(of: account)?.contacts ?? []) == Set(second.contacts))
        #expect(try await store.mirror(of: account)?.available == [])
        #expect(try await store.savedSession(of: account)?.number == 2)
        await store.close()
    }

    @Test("a session that is over is not offered again, one account's or all")
    func discarded() async throws {
        let store = try Store(path: ":memory:")
        for account in [account, otherAccount] {
            var saved = try session(1)
            saved.jid = try JID(account, resource: "doorward")
            _ = try await store.commit(
                account: account, session: 1, at: time(0), changes: [],
                beside: SessionChange(begun: saved, knowing: SessionMirror()))
        }
        try await store.discardSession(of: account)
        #expect(try await store.savedSession(of: account) == nil)
        #expect(try await store.savedSession(of: otherAccount) != nil)
        try await store.discardSessions()
        #expect(try await store.savedSession(of: otherAccount) == nil)
        await store.close()
    }

    @Test(
        "a failure at any row undoes the requests and the counts of that read together",
        arguments: ["request", "journal", "contact", "contact_resource", "stream_count", "resumable_session"])
    func atomic(table: String) async throws {
        let store = try Store(path: ":memory:")
        _ = try await store.commit(
            account: account, session: 1, at: time(0), changes: [],
            beside: SessionChange(begun: try session(), knowing: SessionMirror(contacts: [row("ann")])))
        try await store.execute(
            """
            CREATE TEMP TRIGGER fault1 BEFORE INSERT ON main.\(table) BEGIN SELECT RAISE(ABORT, 'injected'); END;
            CREATE TEMP TRIGGER fault2 BEFORE UPDATE ON main.\(table) BEGIN SELECT RAISE(ABORT, 'injected'); END;
            """)
        let before = try await store.dump()
        var change = SessionChange(
            begun: try session(2, inbound: 9),
            knowing: SessionMirror(contacts: [row("bob")], available: [ResourceRow(try JID("bob@guests.example/x"))]))
        change.mirror = [.contact(row("eve"))]
        let error = await failure {
            try await store.commit(
                account: account, session: 2, at: time(0), changes: [.opened(delivered("new"), Record.accept)],
                beside: change)
        }
        #expect(error != nil)
        #expect(try await store.dump() == before)
        await store.close()
    }
}
