import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

/// Where a contact's latest row can stand when a change comes.
enum Standing: String, CaseIterable {
    case none, open, held, recorded
    /// Accepted, the verdict still to be written.
    case due
    /// Accepted, the verdict written and not confirmed.
    case written
    /// Rejected and the server has had the verdict; the block is still open.
    case tail
    /// Accepted and confirmed.
    case done
    case withdrawn, answeredElsewhere, covered

    var row: RequestRow? {
        switch self {
        case .none: nil
        case .open: row(.open, .ask)
        case .held: row(.held, .ask)
        case .recorded: row(.recorded, .ignore)
        case .due: row(.accepted, .accept(Acceptance()), [OutboxStep(.rosterSet, .confirmed), OutboxStep(.verdict)])
        case .written: row(.accepted, .accept(Acceptance()), [OutboxStep(.verdict, .written(session: 1))])
        case .tail:
            row(.rejected, .reject(Rejection(block: true)), [OutboxStep(.verdict, .confirmed), OutboxStep(.block)])
        case .done: row(.accepted, .accept(Acceptance()), [OutboxStep(.verdict, .confirmed)])
        case .withdrawn: row(.withdrawn, .ask)
        case .answeredElsewhere: row(.answeredElsewhere, .ask)
        case .covered: row(.covered, .ask)
        }
    }

    private func row(_ state: RequestState, _ decision: Decision, _ steps: [OutboxStep] = []) -> RequestRow {
        RequestRow(
            id: 7,
            account: account,
            contact: contact("ann"),
            message: "hello",
            nickname: nil,
            receivedAt: time(0),
            lastSeenAt: time(0),
            seenCount: 1,
            session: 1,
            version: 1,
            state: state,
            onDesk: state == .open,
            decision: decision,
            rule: nil,
            policy: nil,
            outbox: steps.isEmpty ? nil : OutboxRow(steps: steps),
            revision: 1
        )
    }
}

@Suite("What a change makes of a row")
struct RequestTransitionTests {
    /// Each change with what it makes of each standing, in the order of `Standing`: `gone` where there is no row,
    /// `same` where nothing is written, else `id state seen version steps journal`.
    static let table: [(name: String, change: RequestChange, outcomes: [String])] = [
        (
            "opened, ask", .opened(delivered("ann"), Record.ask),
            [
                "0 open 1 v1 [] decided", "7 open 2 v1 []", "7 held 2 v1 []", "7 recorded 2 v1 []",
                "7 accepted 2 v1 [roster_set:confirmed verdict:due]", "7 accepted 2 v1 [verdict:written:1]",
                "7 rejected 2 v1 [verdict:confirmed block:due]", "0 open 1 v1 [] decided", "7 open 2 v1 [] decided",
                "0 open 1 v1 [] decided", "0 open 1 v1 [] decided",
            ]
        ),
        (
            "opened, accept, another text", .opened(delivered("ann", "hi"), Record.accept),
            [
                "0 accepted 1 v1 [roster_set:due verdict:due] decided", "7 open 2 v2 []", "7 held 2 v2 []",
                "7 recorded 2 v2 []", "7 accepted 2 v1 [roster_set:confirmed verdict:due]",
                "7 accepted 2 v1 [verdict:written:1]", "7 rejected 2 v1 [verdict:confirmed block:due]",
                "0 accepted 1 v1 [roster_set:due verdict:due] decided",
                "7 accepted 2 v2 [roster_set:due verdict:due] decided",
                "0 accepted 1 v1 [roster_set:due verdict:due] decided",
                "0 accepted 1 v1 [roster_set:due verdict:due] decided",
            ]
        ),
        (
            "redelivered", .redelivered(delivered("ann"), nil),
            [
                "gone", "7 open 2 v1 []", "7 held 2 v1 []", "7 recorded 2 v1 []",
                "7 accepted 2 v1 [roster_set:confirmed verdict:due]", "7 accepted 2 v1 [verdict:written:1]",
                "7 rejected 2 v1 [verdict:confirmed block:due]", "gone", "gone", "gone", "gone",
            ]
        ),
        (
            "redelivered with a record", .redelivered(delivered("ann"), Record.reject),
            [
                "gone", "7 open 2 v1 []", "7 held 2 v1 []", "7 rejected 2 v1 [verdict:due block:due] decided",
                "7 accepted 2 v1 [roster_set:confirmed verdict:due]", "7 accepted 2 v1 [verdict:written:1]",
                "7 rejected 2 v1 [verdict:confirmed block:due]", "gone", "gone", "gone", "gone",
            ]
        ),
        (
            "closed", .closed(contact: contact("ann"), as: withdrawal),
            [
                "gone", "7 withdrawn 1 v1 [] closed", "7 withdrawn 1 v1 [] closed", "7 withdrawn 1 v1 [] closed",
                "7 withdrawn 1 v1 [roster_set:confirmed verdict:dropped] closed",
                "7 withdrawn 1 v1 [verdict:dropped] closed", "same", "gone", "gone", "gone", "gone",
            ]
        ),
        (
            "written", .written(contact: contact("ann"), steps: [.rosterSet, .verdict, .block], hadItem: true),
            [
                "gone", "same", "same", "same", "7 accepted 1 v1 [roster_set:confirmed verdict:written:2] sent",
                "7 accepted 1 v1 [verdict:written:2]", "7 rejected 1 v1 [verdict:confirmed block:written:2]", "gone",
                "gone", "gone", "gone",
            ]
        ),
        (
            "confirmed", .confirmed(contact: contact("ann"), steps: [.verdict, .block]),
            [
                "gone", "same", "same", "same",
                "7 accepted 1 v1 [roster_set:confirmed verdict:confirmed] confirmed",
                "7 accepted 1 v1 [verdict:confirmed] confirmed", "7 rejected 1 v1 [verdict:confirmed block:confirmed]",
                "gone", "gone", "gone", "gone",
            ]
        ),
        (
            "dropped", .dropped(contact: contact("ann"), steps: [.verdict, .block], reason: "not possible"),
            [
                "gone", "same", "same", "same", "7 accepted 1 v1 [roster_set:confirmed verdict:dropped] dropped",
                "7 accepted 1 v1 [verdict:dropped] dropped",
                "7 rejected 1 v1 [verdict:confirmed block:dropped] dropped",
                "gone", "gone", "gone", "gone",
            ]
        ),
    ]

    @Test("each change in each state", arguments: table.indices)
    func eachChange(index: Int) throws {
        let (name, change, outcomes) = Self.table[index]
        try #require(outcomes.count == Standing.allCases.count)
        for (standing, expected) in zip(Standing.allCases, outcomes) {
            let transition = try RequestTransition(
                change,
                latest: standing.row,
                account: account,
                session: 2,
                at: time(9)
            )
            #expect(summary(transition, standing.row) == expected, "\(name) on \(standing)")
        }
    }

    private func summary(_ transition: RequestTransition, _ before: RequestRow?) -> String {
        guard let row = transition.row else { return transition.extent > .nothing ? "odd" : "gone" }
        guard transition.extent > .nothing else { return row == before && transition.journal.isEmpty ? "same" : "odd" }
        let steps = OutboxColumns.text(of: row.outbox?.steps ?? [])
        let journal = transition.journal.map { " " + $0.kind.rawValue }.joined()
        return "\(row.id) \(row.state.rawValue) \(row.seenCount) v\(row.version) [\(steps)]\(journal)"
    }

    @Test("where a decision puts a new row")
    func decisions() throws {
        let expected: [(DecisionRecord, RequestState, Bool, Bool)] = [
            (Record.ask, .open, true, true), (Record.accept, .accepted, false, true),
            (Record.reject, .rejected, false, true), (Record.ignore, .recorded, false, true),
            (Record.observed, .recorded, false, true),
            (DecisionRecord(decision: .ask, by: .mode, acts: false), .recorded, false, true),
            (DecisionRecord(decision: .accept(Acceptance()), by: .ownRequest, steps: []), .accepted, false, false),
        ]
        for (record, state, onDesk, live) in expected {
            let row = try RequestTransition(
                .opened(delivered("ann"), record),
                latest: nil,
                account: account,
                session: 1,
                at: time(0)
            ).row
            #expect(row?.state == state)
            #expect(row?.onDesk == onDesk)
            #expect(row?.isLive == live)
            if !record.acts { #expect(row?.outbox == nil) }
        }
    }

    @Test("the roster is noted when the first step is written, and not again")
    func hadItem() throws {
        let row = try #require(Standing.due.row)
        let first = try RequestTransition(
            .written(contact: row.contact, steps: [.verdict], hadItem: false),
            latest: row,
            account: account,
            session: 2,
            at: time(1)
        )
        #expect(first.row?.outbox?.hadItem == false)
        let second = try RequestTransition(
            .written(contact: row.contact, steps: [.verdict], hadItem: true),
            latest: first.row,
            account: account,
            session: 3,
            at: time(2)
        )
        #expect(second.row?.outbox?.hadItem == false)
        #expect(second.row?.outbox?.step(.verdict)?.state == .written(session: 3))
        #expect(second.journal.isEmpty)
    }

    @Test("a request cannot be closed as something that is no end", arguments: [RequestState.open, .held, .accepted])
    func badClosure(state: RequestState) {
        #expect(throws: StoreError.self) {
            try RequestTransition(
                .closed(contact: contact("ann"), as: Closure(state, by: .server, reason: "")),
                latest: Standing.open.row,
                account: account,
                session: 1,
                at: time(0)
            )
        }
    }

    @Test("an answer is an accept or a reject", arguments: [Decision.ask, .ignore])
    func badAnswer(decision: Decision) throws {
        let row = try #require(Standing.open.row)
        #expect(throws: StoreError.self) {
            try RequestTransition(
                Answer(id: 7, version: nil, decision: decision, steps: [], by: "ana", reason: nil),
                to: row
            )
        }
    }

    @Test("texts are cut between scalars, compared by bytes, and empty ones count as none")
    func texts() throws {
        #expect(TextBounds.cut("abc", 3) == "abc")
        #expect(TextBounds.cut("abcd", 3) == "abc")
        #expect(TextBounds.cut("ab\u{20AC}", 4).utf8.elementsEqual("ab".utf8))
        #expect(TextBounds.cut("ab\u{20AC}", 5).utf8.elementsEqual("ab\u{20AC}".utf8))
        #expect(TextBounds.cut("\u{1F600}", 3).isEmpty)
        #expect(!TextBounds.same("e\u{301}", "\u{E9}"))
        #expect(TextBounds.message("") == nil)
        let long = String(repeating: "\u{20AC}", count: 10_000)
        #expect(TextBounds.message(long)?.utf8.count == 16_383)
        #expect(TextBounds.nickname(long)?.utf8.count == 1023)
        #expect(TextBounds.json(long + long + long + long + long + long + long + long + long, insteadOf: "[]") == "[]")
    }

    @Test("steps survive their column", arguments: [0, 1, 2, 3])
    func stepColumn(shift: Int) throws {
        let states: [OutboxStep.State] = [.due, .written(session: .max), .confirmed, .dropped]
        let steps = OutboxStep.Kind.allCases.enumerated().map { OutboxStep($1, states[($0 + shift) % 4]) }
        #expect(try OutboxColumns.steps(OutboxColumns.text(of: steps)) == steps)
    }

    @Test(
        "a damaged column of steps is an error",
        arguments: [
            "verdict", "verdict:", "x:due", "verdict:written", "verdict:written:x", "verdict:due:1", ":", "due",
        ]
    )
    func damagedSteps(text: String) {
        #expect(throws: StoreError.self) { try OutboxColumns.steps(text) }
    }

    @Test("options survive their columns")
    func optionColumns() throws {
        let groups = ["", "a,b", "\"\\/\n\u{1F}", "e\u{301}", "\u{E9}", "\u{FEFF}\u{202E}", "\u{0}"]
        let decisions: [Decision] = [
            .accept(Acceptance()), .accept(Acceptance(subscribeBack: true)),
            .accept(Acceptance(groups: groups, name: "\u{1F600}")), .accept(Acceptance(name: "")),
            .reject(Rejection()), .reject(Rejection(block: true)), .ask, .ignore,
        ]
        for decision in decisions {
            let options = DecisionColumns.options(of: decision)
            let read = try DecisionColumns.decision(word: decision.word, options: options)
            #expect(read == decision)
            if case .accept(let accept) = read, case .accept(let original) = decision {
                #expect(accept.groups.map { Array($0.utf8) } == original.groups.map { Array($0.utf8) })
            }
        }
        #expect(try DecisionColumns.decision(word: nil, options: nil) == nil)
        #expect(throws: StoreError.self) { try DecisionColumns.decision(word: "accept", options: nil) }
        #expect(throws: StoreError.self) { try DecisionColumns.decision(word: "reject", options: "[") }
        #expect(throws: StoreError.self) { try DecisionColumns.decision(word: "perhaps", options: nil) }
    }
}
