import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore

@testable import DoorwardRuntime

/// The ledger, driven without a store: rows are made as the store would make them.
@Suite struct RequestLedgerTests {
    let contact = BareJID(preparedLocal: "new", preparedDomain: "example.net")
    let account = BareJID(preparedLocal: "bot", preparedDomain: "example.org")

    var request: DeliveredRequest { DeliveredRequest(contact: contact, message: "hi", nickname: nil) }
    let ask = DecisionRecord(decision: .ask, by: .default)
    let accept = DecisionRecord(decision: .accept(Acceptance()), by: .rule, rule: "r", steps: [.verdict])
    let reject = DecisionRecord(decision: .reject(Rejection()), by: .rule, rule: "r", steps: [.verdict])

    func row(
        _ state: RequestState, _ decision: Decision, session: Int64 = 1, steps: [OutboxStep] = [], hadItem: Bool? = nil,
        revision: Int64 = 1
    ) -> RequestRow {
        RequestRow(
            id: 7, account: account, contact: contact, message: "hi", nickname: nil,
            receivedAt: Timestamp(milliseconds: 0), lastSeenAt: Timestamp(milliseconds: 0), seenCount: 1,
            session: session, version: 1, state: state, onDesk: decision == .ask, decision: decision, rule: nil,
            policy: "p", outbox: steps.isEmpty ? nil : OutboxRow(steps: steps, hadItem: hadItem), revision: revision)
    }

    func fact(_ subscription: RosterFact.Subscription, asked: Bool = false, groups: [String] = []) -> RosterFact {
        RosterFact(subscription: subscription, asked: asked, groups: groups)
    }

    @Test("a request that a rule accepts is recorded first, and sent when the record is on disk")
    func accepted() {
        var ledger = RequestLedger(session: 1, rows: [])
        let delivered = ledger.delivered(request, item: nil) { _ in accept }
        #expect(
            delivered.changes == [
                .opened(request, accept), .written(contact: contact, steps: [.verdict], hadItem: false),
            ])
        #expect(delivered.effects.isEmpty)
        let rows = [
            row(.accepted, accept.decision, steps: [OutboxStep(.verdict)], revision: 1),
            row(.accepted, accept.decision, steps: [OutboxStep(.verdict, .written(session: 1))], revision: 2),
        ]
        let committed = ledger.committed(delivered.changes, rows: rows)
        #expect(committed.effects == [.send(contact: contact, decision: accept.decision, steps: [.verdict])])
        #expect(ledger.delivered(request, item: nil) { _ in reject }.changes == [.redelivered(request, nil)])
        let pushed = ledger.itemChanged(contact, to: fact(.from))
        #expect(pushed.changes == [.confirmed(contact: contact, steps: [.verdict])])
    }

    @Test("the same request at three logins is asked once and never decided again")
    func redelivery() {
        var first = RequestLedger(session: 1, rows: [])
        #expect(first.delivered(request, item: nil) { _ in ask }.changes == [.opened(request, ask)])
        for session in Int64(2)...3 {
            var later = RequestLedger(session: session, rows: [row(.open, .ask, session: session - 1)])
            let output = later.delivered(request, item: nil) { _ in
                Issue.record("decided again")
                return accept
            }
            #expect(output.changes == [.redelivered(request, nil)])
        }
    }

    @Test("a decision that was not confirmed is sent again only when the request is delivered again (B011)")
    func resent() {
        let written = row(
            .accepted, accept.decision, session: 1, steps: [OutboxStep(.verdict, .written(session: 1))])
        var ledger = RequestLedger(session: 2, rows: [written])
        #expect(ledger.rosterLoaded { _ in nil } == RequestLedger.Output())
        let output = ledger.delivered(request, item: nil) { _ in reject }
        #expect(
            output.changes == [
                .redelivered(request, nil), .written(contact: contact, steps: [.verdict], hadItem: false),
            ])
        // Once more in the same session: counted, not answered twice.
        #expect(ledger.delivered(request, item: nil) { _ in reject }.changes == [.redelivered(request, nil)])
    }

    @Test("an operator's answer waits for the request to be delivered in this session")
    func operatorAnswerWaits() {
        let open = row(.open, .ask, session: 1)
        let answered = row(
            .accepted, accept.decision, session: 1, steps: [OutboxStep(.verdict)], revision: 2)
        var ledger = RequestLedger(session: 2, rows: [open])
        #expect(ledger.answered(answered, item: nil) == RequestLedger.Output())
        let output = ledger.delivered(request, item: nil) { _ in ask }
        #expect(
            output.changes == [
                .redelivered(request, nil), .written(contact: contact, steps: [.verdict], hadItem: false),
            ])
    }

    @Test("an operator's answer to a request of this session is written at once, and once")
    func operatorAnswer() {
        var ledger = RequestLedger(session: 1, rows: [row(.open, .ask, session: 1)])
        let answered = row(
            .rejected, reject.decision, session: 1, steps: [OutboxStep(.verdict), OutboxStep(.block)], revision: 2)
        let output = ledger.answered(answered, item: nil)
        #expect(output.changes == [.written(contact: contact, steps: [.verdict, .block], hadItem: false)])
        #expect(ledger.answered(answered, item: nil) == RequestLedger.Output())
    }

    @Test("an older copy of a row changes nothing")
    func olderRow() {
        var ledger = RequestLedger(session: 1, rows: [row(.open, .ask, session: 1, revision: 9)])
        let older = row(.accepted, accept.decision, session: 1, steps: [OutboxStep(.verdict)], revision: 3)
        #expect(ledger.answered(older, item: nil) == RequestLedger.Output())
    }

    @Test("an unsubscribe withdraws what is undecided or unsent, and not what was sent")
    func withdrawn() {
        let closure = Closure(.withdrawn, by: .requester, reason: "the contact took the request back")
        let closed = RequestChange.closed(contact: contact, as: closure)
        for undecided in [
            row(.open, .ask), row(.recorded, .ignore),
            row(.accepted, accept.decision, session: 0, steps: [OutboxStep(.verdict)]),
        ] {
            var ledger = RequestLedger(session: 1, rows: [undecided])
            #expect(ledger.withdrawn(by: contact).changes == [closed])
            #expect(ledger.withdrawn(by: contact) == RequestLedger.Output())
        }
        var ledger = RequestLedger(session: 1, rows: [])
        let delivered = ledger.delivered(request, item: nil) { _ in accept }
        _ = ledger.committed(
            delivered.changes,
            rows: [
                row(.accepted, accept.decision, steps: [OutboxStep(.verdict)]),
                row(.accepted, accept.decision, steps: [OutboxStep(.verdict, .written(session: 1))], revision: 2),
            ])
        #expect(ledger.withdrawn(by: contact) == RequestLedger.Output())
    }

    @Test("a withdrawal during the commit keeps the answer back")
    func withdrawnDuringCommit() {
        var ledger = RequestLedger(session: 1, rows: [row(.open, .ask, session: 1)])
        let answered = row(
            .accepted, accept.decision, session: 1, steps: [OutboxStep(.verdict)], revision: 2)
        // Opened and accepted by a rule, and taken back before the transaction was done.
        var fresh = RequestLedger(session: 1, rows: [])
        let delivered = fresh.delivered(request, item: nil) { _ in ask }
        #expect(fresh.withdrawn(by: contact).changes.count == 1)
        #expect(fresh.committed(delivered.changes, rows: [row(.open, .ask)]).effects.isEmpty)
        _ = ledger.answered(answered, item: nil)
    }

    @Test("an approval by another client closes what is open, at once or found at login")
    func answeredElsewhere() {
        let closure = Closure(.answeredElsewhere, by: .server, reason: "another client of the account accepted")
        for state in [row(.open, .ask), row(.recorded, .ignore)] {
            var pushed = RequestLedger(session: 1, rows: [state])
            #expect(pushed.itemChanged(contact, to: fact(.from)).changes == [.closed(contact: contact, as: closure)])
            var login = RequestLedger(session: 2, rows: [state])
            #expect(login.rosterLoaded { _ in fact(.both) }.changes == [.closed(contact: contact, as: closure)])
        }
        var ours = RequestLedger(session: 1, rows: [row(.open, .ask)])
        #expect(ours.itemChanged(contact, to: fact(.to)) == RequestLedger.Output())
    }

    @Test("what is not delivered again after a fresh login is withdrawn, a reject that was sent is done")
    func settled() {
        var open = RequestLedger(session: 2, rows: [row(.open, .ask)])
        let output = open.settled { _ in nil }
        #expect(output.changes.count == 1)
        guard case .closed(_, let closure)? = output.changes.first else {
            Issue.record("not closed")
            return
        }
        #expect(closure.state == .withdrawn)
        #expect(closure.by == .server)

        let sent = row(.rejected, reject.decision, steps: [OutboxStep(.verdict, .written(session: 1))])
        var rejected = RequestLedger(session: 2, rows: [sent])
        #expect(rejected.settled { _ in nil }.changes == [.confirmed(contact: contact, steps: [.verdict])])

        let unsent = row(.rejected, reject.decision, steps: [OutboxStep(.verdict)])
        var dropped = RequestLedger(session: 2, rows: [unsent])
        guard case .closed(_, let end)? = dropped.settled(item: { _ in nil }).changes.first else {
            Issue.record("not closed")
            return
        }
        #expect(end.state == .withdrawn)

        var delivered = RequestLedger(session: 2, rows: [row(.open, .ask)])
        _ = delivered.delivered(request, item: nil) { _ in ask }
        #expect(delivered.settled { _ in nil } == RequestLedger.Output())
    }

    @Test(
        "an accept that found no request is taken back",
        arguments: [(false, true), (true, false)])
    func tookBack(hadItem: Bool, removes: Bool) {
        let written = row(
            .accepted, accept.decision, steps: [OutboxStep(.verdict, .written(session: 1))], hadItem: hadItem)
        var ledger = RequestLedger(session: 1, rows: [written])
        let output = ledger.acknowledged([(contact, [.verdict])]) { _ in nil }
        #expect(output.changes.isEmpty)
        #expect(output.effects == [.takeBack(contact: contact, removingItem: removes)])
        guard case .closed(_, let closure)? = ledger.tookBack(contact).changes.first else {
            Issue.record("not closed")
            return
        }
        #expect(closure.state == .withdrawn)
        #expect(ledger.tookBack(contact) == RequestLedger.Output())
    }

    @Test("in a mode that only observes nothing is written; what waited is due when the mode changes")
    func silent() {
        let answered = row(.accepted, accept.decision, session: 1, steps: [OutboxStep(.verdict)], revision: 2)
        var ledger = RequestLedger(session: 1, rows: [row(.open, .ask, session: 1)])
        #expect(ledger.silenced(true) { _ in nil } == RequestLedger.Output())
        #expect(ledger.answered(answered, item: nil) == RequestLedger.Output())
        #expect(ledger.delivered(request, item: nil) { _ in accept }.changes == [.redelivered(request, nil)])
        #expect(
            ledger.silenced(false) { _ in nil }.changes == [
                .written(contact: contact, steps: [.verdict], hadItem: false)
            ])
        #expect(ledger.silenced(false) { _ in nil } == RequestLedger.Output())

        let steps = [
            OutboxStep(.verdict, .written(session: 1)), OutboxStep(.subscribeBack, .written(session: 1)),
        ]
        let back = Acceptance(subscribeBack: true)
        var later = RequestLedger(session: 2, rows: [row(.accepted, .accept(back), steps: steps)])
        _ = later.silenced(true) { _ in nil }
        #expect(
            later.rosterLoaded { _ in fact(.from) }.changes == [.confirmed(contact: contact, steps: [.verdict])])
    }

    @Test("where the server keeps no pre-approvals there is nothing to take back but an item that we made")
    func nothingToTakeBack() {
        let written = row(
            .accepted, accept.decision, steps: [OutboxStep(.verdict, .written(session: 1))], hadItem: false)
        var ledger = RequestLedger(session: 1, rows: [written], keepsPreApprovals: false)
        let output = ledger.acknowledged([(contact, [.verdict])]) { _ in nil }
        #expect(output.effects.isEmpty)
        guard case .closed(_, let closure)? = output.changes.first else {
            Issue.record("not closed")
            return
        }
        #expect(closure.state == .withdrawn)
        // A request that comes just then is a new one.
        #expect(ledger.delivered(request, item: nil) { _ in ask }.changes == [.opened(request, ask)])

        let made = [OutboxStep(.rosterSet, .confirmed), OutboxStep(.verdict, .written(session: 1))]
        let withItem = row(.accepted, .accept(Acceptance(groups: ["g"])), steps: made, hadItem: false)
        var making = RequestLedger(session: 1, rows: [withItem], keepsPreApprovals: false)
        #expect(
            making.acknowledged([(contact, [.verdict])]) { _ in nil }.effects == [
                .takeBack(contact: contact, removingItem: true)
            ])
    }

    @Test("a request delivered while its pre-approval is taken back is answered after that")
    func deliveredWhileTakingBack() {
        let written = row(.accepted, accept.decision, steps: [OutboxStep(.verdict, .written(session: 1))])
        var ledger = RequestLedger(session: 1, rows: [written])
        _ = ledger.acknowledged([(contact, [.verdict])]) { _ in nil }
        #expect(ledger.delivered(request, item: nil) { _ in reject }.changes == [.redelivered(request, nil)])
        #expect(
            ledger.tookBack(contact).changes == [.written(contact: contact, steps: [.verdict], hadItem: false)])
    }

    @Test("the ping behind an answer confirms a reject, and an accept that the roster shows")
    func acknowledged() {
        let rejected = row(.rejected, reject.decision, steps: [OutboxStep(.verdict, .written(session: 1))])
        var ledger = RequestLedger(session: 1, rows: [rejected])
        #expect(
            ledger.acknowledged([(contact, [.verdict])]) { _ in nil }.changes == [
                .confirmed(contact: contact, steps: [.verdict])
            ])
        let both: [OutboxStep] = [
            OutboxStep(.verdict, .written(session: 1)), OutboxStep(.subscribeBack, .written(session: 1)),
        ]
        var accepting = RequestLedger(session: 1, rows: [row(.accepted, accept.decision, steps: both)])
        #expect(
            accepting.acknowledged([(contact, [.verdict, .subscribeBack])]) { _ in fact(.from, asked: true) }.changes
                == [.confirmed(contact: contact, steps: [.verdict, .subscribeBack])])
    }

    @Test("after a crash the roster shows what was done, and the rest is sent again without a new request")
    func reconciled() {
        let acceptance = Acceptance(subscribeBack: true, groups: ["Staff"])
        let steps = [
            OutboxStep(.rosterSet, .written(session: 1)), OutboxStep(.verdict, .written(session: 1)),
            OutboxStep(.subscribeBack, .written(session: 1)),
        ]
        let stored = row(.accepted, .accept(acceptance), steps: steps, hadItem: false)
        var all = RequestLedger(session: 2, rows: [stored])
        #expect(
            all.rosterLoaded { _ in fact(.both, groups: ["Staff"]) }.changes == [
                .confirmed(contact: contact, steps: [.rosterSet, .verdict, .subscribeBack])
            ])
        var some = RequestLedger(session: 2, rows: [stored])
        #expect(
            some.rosterLoaded { _ in fact(.from) }.changes == [
                .confirmed(contact: contact, steps: [.verdict]),
                .written(contact: contact, steps: [.rosterSet, .subscribeBack], hadItem: true),
            ])
    }

    @Test("a request whose decision sends nothing is decided anew at the next delivery")
    func decidedAnew() {
        var same = RequestLedger(session: 2, rows: [row(.recorded, .ignore)])
        let ignore = DecisionRecord(decision: .ignore, by: .rule, rule: "r")
        #expect(same.delivered(request, item: nil) { _ in ignore }.changes == [.redelivered(request, nil)])
        var other = RequestLedger(session: 2, rows: [row(.recorded, .ignore)])
        #expect(
            other.delivered(request, item: nil) { _ in accept }.changes == [
                .redelivered(request, accept), .written(contact: contact, steps: [.verdict], hadItem: false),
            ])
        let observed = DecisionRecord(decision: .accept(Acceptance()), by: .rule, acts: false)
        var mode = RequestLedger(session: 2, rows: [row(.recorded, .accept(Acceptance()))])
        #expect(mode.delivered(request, item: nil) { _ in observed }.changes == [.redelivered(request, nil)])
        #expect(mode.delivered(request, item: nil) { _ in accept }.changes.first == .redelivered(request, accept))
    }

    @Test("a roster set or a block that the server refuses is dropped with its reason")
    func refusedStep() {
        let steps = [OutboxStep(.verdict, .confirmed), OutboxStep(.block, .written(session: 1))]
        var ledger = RequestLedger(session: 1, rows: [row(.rejected, reject.decision, steps: steps)])
        #expect(
            ledger.answered(.block, of: contact, refusal: "no").changes == [
                .dropped(contact: contact, steps: [.block], reason: "no")
            ])
        #expect(ledger.answered(.block, of: contact, refusal: nil) == RequestLedger.Output())
        var willing = RequestLedger(session: 1, rows: [row(.rejected, reject.decision, steps: steps)])
        #expect(
            willing.answered(.block, of: contact, refusal: nil).changes == [
                .confirmed(contact: contact, steps: [.block])
            ])
    }

    @Test("a block that is still open though its reject is confirmed is sent again, and its row does not live for ever")
    func blockAlone() {
        let block = Decision.reject(Rejection(block: true))
        let half = row(
            .rejected, block, session: 2,
            steps: [OutboxStep(.verdict, .confirmed), OutboxStep(.block, .written(session: 2))])
        var ledger = RequestLedger(session: 3, rows: [half])
        let output = ledger.settled { _ in nil }
        #expect(output.changes == [.written(contact: contact, steps: [.block], hadItem: false)])
    }

    @Test("a request that comes after a confirmed answer of which a step is open is a new one")
    func askedAnew() {
        let block = Decision.reject(Rejection(block: true))
        let half = row(
            .rejected, block, session: 2,
            steps: [OutboxStep(.verdict, .confirmed), OutboxStep(.block, .written(session: 2))])
        var ledger = RequestLedger(session: 3, rows: [half])
        let output = ledger.delivered(request, item: nil) { _ in accept }
        #expect(output.changes.contains(.opened(request, accept)))
    }
}
