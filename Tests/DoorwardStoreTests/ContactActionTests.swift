import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

/// What is done to contacts: in the journal, and kept until its end is known.
@Suite("Actions on contacts on disk")
struct ContactActionTests {
    @Test("an action is kept with all that it sends until its end is told, once; then nothing of it but the journal")
    func backlog() async throws {
        let store = try Store(path: ":memory:")
        let gateway = BareJID(preparedLocal: nil, preparedDomain: "gw.example.org")
        let entry = try JID("ann@example.net/phone")
        let work = ContactWork(
            name: "Ann", oldName: "A", groups: ["B", "C"], leaves: ["D"], message: "hello", preApproves: true,
            entry: entry, report: "spam")
        let first = ContactAction(
            .block, account: account, contact: contact("ann"), by: "ana", detail: "x", session: 3, work: work)
        let second = ContactAction(
            .add, account: account, contact: contact("bob"), author: .suggestion(gateway), session: 3)
        let ids = try await store.begin([first, second], at: time(1))
        let known = [UnfinishedAction(id: ids[0], action: first), UnfinishedAction(id: ids[1], action: second)]
        #expect(try await store.backlog(of: account).actions == known)
        #expect(try await store.backlog(of: otherAccount).actions.isEmpty)
        try await store.end(actions: [ids[0]], refusal: nil, remark: "finished later", at: time(2))
        try await store.end(actions: [ids[0]], refusal: "no", at: time(3))
        #expect(try await store.backlog(of: account).actions == [known[1]])
        let rows = try await store.history(limit: 10, before: nil, account: account)
        #expect(rows.map(\.state) == [.sent, .confirmed])
        #expect(rows.map(\.reason) == [nil, "x; finished later"])
        #expect(rows.map(\.suggestedBy) == [gateway, nil] && rows.map(\.operator) == [nil, "ana"])
        await store.close()
    }

    @Test("what another server refuses was sent: the history says so, also where it comes behind the end, and once")
    func refused() async throws {
        let store = try Store(path: ":memory:")
        let add = ContactAction(.add, account: account, contact: contact("ann"), by: "ana", session: 1)
        func say(_ at: Int64) async throws {
            let change = SessionChange(mirror: [.notDelivered(contact("ann"), "no host")])
            _ = try await store.commit(account: account, session: 1, at: time(at), changes: [], beside: change)
        }
        func rows() async throws -> [HistoryRow] { try await store.history(limit: 10, before: nil, account: account) }
        try await say(1)
        #expect(try await rows().isEmpty)
        let first = try await store.begin(add, at: time(2))
        // It has no end yet: that says it.
        try await say(3)
        #expect(try await rows().map(\.state) == [.sent])
        try await store.end(actions: [first], refusal: nil, bounce: "no host", at: time(4))
        let second = try await store.begin(add, at: time(5))
        try await store.end(actions: [second], refusal: nil, at: time(6))
        try await say(7)
        try await say(8)
        #expect(try await rows().map(\.state) == [.refused, .refused])
        #expect(try await rows().map(\.reason) == ["no host", "no host"])
        #expect(try await rows().map(\.sentAt) == [time(5), time(2)])
        // What was never sent stays so.
        let third = try await store.begin(add, at: time(9))
        try await store.end(actions: [third], refusal: "forbidden", at: time(10))
        try await say(11)
        #expect(try await rows().first?.state == .notSent)
        await store.close()
    }

    @Test("an approval ahead stands until its contact is let in or gone, and what was not done gives none")
    func approvals() async throws {
        let store = try Store(path: ":memory:")
        let (ann, work) = (contact("ann"), ContactWork(preApproves: true))
        func give(_ kind: ContactAction.Kind = .add, at: Int64) async throws -> Int64 {
            try await store.begin(
                ContactAction(kind, account: account, contact: ann, by: "ana", session: 1, work: work), at: time(at))
        }
        func change(_ mirror: SessionChange.Mirror..., at: Int64) async throws {
            _ = try await store.commit(
                account: account, session: 1, at: time(at), changes: [], beside: SessionChange(mirror: mirror))
        }
        let first = try await give(at: 1)
        try await store.end(actions: [first], refusal: "no", at: time(2))
        #expect(try await store.approvals(of: account).isEmpty)
        let second = try await give(at: 3)
        let known = Approval(action: second, operator: "ana", at: time(3))
        #expect(try await store.approvals(of: account) == [ann: known])
        #expect(try await store.approvals(of: otherAccount).isEmpty)
        try await store.end(actions: [second], refusal: nil, at: time(4))
        // Given again it is that of before, and what is not done takes it not away.
        let third = try await give(.preapprove, at: 5)
        try await store.end(actions: [third], refusal: "no", at: time(6))
        #expect(try await store.approvals(of: account) == [ann: known])
        try await change(.letIn(ann, by: "ana"), at: 7)
        #expect(try await store.approvals(of: account)[ann]?.isUsed == true)
        let row = try #require(try await store.history(limit: 1, before: nil, account: account).first)
        #expect(row.action == "let_in" && row.operator == "ana" && row.by == "operator" && row.state == .confirmed)
        #expect(row.reason == "pre-approved by ana" && row.at == time(7))
        try await change(.approvalEnded(ann), at: 8)
        #expect(try await store.approvals(of: account).isEmpty)
        // Gone with its contact, and back with what is finished after that.
        let item = ContactRow(jid: ann, item: RosterFact(subscription: .none))
        let fourth = try await give(at: 9)
        try await change(.contact(item), at: 10)
        try await change(.removed(ann), at: 11)
        #expect(try await store.approvals(of: account).isEmpty)
        try await store.end(actions: [fourth], refusal: nil, at: time(12))
        #expect(try await store.approvals(of: account)[ann]?.action == fourth)
        await store.close()
    }

    @Test("an action and the answer that belongs to it are written at once, or neither")
    func together() async throws {
        let store = try Store(path: ":memory:")
        try await store.change(.opened(delivered("ann"), Record.ask), at: time(1))
        let remove = ContactAction(.remove, account: account, contact: contact("ann"), by: "ana", session: 1)
        let refusal = Answer(
            id: 1, version: nil, decision: .reject(.init()), steps: [.verdict], by: "ana", reason: "contact remove")
        try await store.execute(
            """
            CREATE TEMP TRIGGER fault BEFORE INSERT ON main.contact_work BEGIN SELECT RAISE(ABORT, 'injected'); END;
            """)
        #expect(await failure { try await store.begin(remove, answering: refusal, at: time(2)) } != nil)
        #expect(try await store.request(id: 1)?.state == .open)
        #expect(try await store.backlog(of: account).actions.isEmpty)
        try await store.execute("DROP TRIGGER fault")
        let done = try await store.begin(remove, answering: refusal, at: time(3))
        guard case .done(let row) = done.answer else { throw StoreError(.misuse, "not answered") }
        #expect(row.state == .rejected)
        #expect(try await store.backlog(of: account).actions.map(\.id) == [done.id])
        // One that somebody else has answered meanwhile keeps nothing from being done.
        let again = try await store.begin(remove, answering: refusal, at: time(4))
        guard case .notOpen = again.answer else { throw StoreError(.misuse, "answered twice") }
        #expect(try await store.backlog(of: account).actions.count == 2)
        await store.close()
    }

    @Test("what operators do stands in the history before it is sent, with its end, and with no request")
    func history() async throws {
        let store = try Store(path: ":memory:")
        try await store.change(.opened(delivered("friend"), Record.ask), at: time(1))
        let add = ContactAction(
            .add, account: account, contact: contact("ann"), by: "ana", detail: "name “Ann”", session: 1)
        let first = try await store.begin(add, at: time(2))
        #expect(try await store.history(limit: 1, before: nil, account: account).first?.state == .sent)
        try await store.end(actions: [first], refusal: nil, at: time(3))
        let second = try await store.begin(add, at: time(4))
        try await store.end(actions: [second], refusal: "forbidden", at: time(5))
        let rows = try await store.history(limit: 10, before: nil, account: account)
        #expect(rows.map(\.event) == [.contact, .contact, .decided])
        #expect(rows.map(\.state) == [.notSent, .confirmed, .waiting])
        #expect(rows.map(\.request) == [nil, nil, 1])
        #expect(rows.map(\.action) == ["add", "add", nil])
        #expect(rows.map(\.reason) == ["name “Ann”; forbidden", "name “Ann”", nil])
        #expect(rows[0].sentAt == nil)
        #expect(rows[1].sentAt == time(2))
        #expect(await failure { try await store.execute("UPDATE journal SET operator = 'eve'") } != nil)
        await store.close()
    }
}
