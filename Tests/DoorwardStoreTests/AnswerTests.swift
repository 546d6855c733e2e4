import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

@Suite("Operators' answers")
struct AnswerTests {
    let store: Store

    init() throws { store = try Store(path: ":memory:") }

    @Test("the first of two operators wins, the second reads who it was")
    func twoOperators() async throws {
        let opened = try #require(try await store.change(.opened(delivered("ann"), Record.ask)))
        let first = try await store.answer([accepting(opened.id, version: 1)], at: time(3))
        guard case .done(let row)? = first.first else {
            Issue.record("not done: \(first)")
            return
        }
        #expect(row.state == .accepted)
        #expect(row.decision == .accept(Acceptance(subscribeBack: true)))
        #expect(row.rule == "strangers")
        #expect(row.outbox?.steps.map(\.kind) == [.rosterSet, .verdict, .subscribeBack])
        #expect(row.revision > opened.revision)
        let second = try await store.answer([rejecting(opened.id, version: 1)], at: time(4))
        #expect(second == [.notOpen(row, answeredBy: "ana", at: time(3))])
        #expect(try await store.request(id: opened.id) == row)
    }

    @Test("two operators at the same moment: one answer is written")
    func race() async throws {
        for index in 0..<20 {
            let row = try #require(try await store.change(.opened(delivered("c\(index)"), Record.ask)))
            async let one = store.answer([accepting(row.id)], at: time(1))
            async let two = store.answer([rejecting(row.id)], at: time(1))
            let outcomes = try await one + two
            let done = outcomes.filter { if case .done = $0 { true } else { false } }
            #expect(done.count == 1)
        }
        #expect(try await store.texts("SELECT operator FROM journal WHERE by = 'operator'").count == 20)
    }

    @Test("an answer to what has changed since is refused with the row as it is")
    func stale() async throws {
        try await store.change(.opened(delivered("ann"), Record.ask))
        let changed = try #require(try await store.change(.redelivered(delivered("ann", "another"), nil)))
        #expect(try await store.answer([accepting(1, version: 1)], at: time(1)) == [.stale(changed)])
        #expect(try await store.answer([accepting(1, version: 3)], at: time(1)) == [.stale(changed)])
        guard case .done? = try await store.answer([accepting(1, version: 2)], at: time(1)).first else {
            Issue.record("the present version is refused")
            return
        }
    }

    @Test("several answers are one transaction with an outcome each")
    func many() async throws {
        for name in ["a", "b", "c"] { try await store.change(.opened(delivered(name), Record.ask)) }
        try await store.change(.opened(delivered("d"), Record.ignore))
        let withdrawn = try #require(try await store.change(.closed(contact: contact("b"), as: withdrawal)))
        let recorded = try #require(try await store.request(id: 4))
        let outcomes = try await store.answer(
            [accepting(1), accepting(2), accepting(77), rejecting(1), accepting(4), rejecting(3)],
            at: time(6)
        )
        let first = try #require(try await store.request(id: 1))
        let third = try #require(try await store.request(id: 3))
        #expect(
            outcomes == [
                .done(first), .notOpen(withdrawn, answeredBy: nil, at: nil), .notFound(id: 77),
                .notOpen(first, answeredBy: "ana", at: time(6)), .notOpen(recorded, answeredBy: nil, at: nil),
                .done(third),
            ]
        )
        #expect(try await store.answer([], at: time(7)).isEmpty)
    }

    @Test("an answer that is neither accept nor reject writes nothing of its batch")
    func misuse() async throws {
        for name in ["a", "b"] { try await store.change(.opened(delivered(name), Record.ask)) }
        let before = try await store.dump()
        let wrong = Answer(id: 2, version: nil, decision: .ignore, steps: [], by: "ana", reason: nil)
        #expect(await failure { try await store.answer([accepting(1), wrong], at: time(1)) }?.code == .misuse)
        #expect(try await store.dump() == before)
    }

    @Test("an answer stands over a redelivery and closes when its verdict is confirmed")
    func life() async throws {
        try await store.change(.opened(delivered("ann"), Record.ask))
        _ = try await store.answer([rejecting(1)], at: time(1))
        #expect(try await store.change(.opened(delivered("ann", "again"), Record.ask), session: 2)?.state == .rejected)
        #expect(try await store.pendingCounts().isEmpty)
        try await store.change(.written(contact: contact("ann"), steps: [.verdict], hadItem: false), session: 2)
        #expect(try await store.change(.confirmed(contact: contact("ann"), steps: [.verdict]))?.isLive == false)
        #expect(try await store.change(.opened(delivered("ann"), Record.ask))?.id == 2)
    }
}
