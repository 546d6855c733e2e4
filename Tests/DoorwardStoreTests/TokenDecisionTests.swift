import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

/// What is decided by the worth of a token, and later than a request is received.
@Suite("Decisions that hang on something")
struct TokenDecisionTests {
    let store: Store

    init() throws { store = try Store(path: ":memory:") }

    private func make(uses: Int = 1, ends: Timestamp = time(1000), digest: String = "d1") async throws {
        let row = InvitationRow(
            id: 0, account: account, name: nil, contact: nil, uses: uses, madeBy: "ana", madeAt: time(0),
            expiresAt: ends)
        _ = try #require(try await store.keep(row, digest: digest))
    }

    private func showing(_ name: String, _ token: String? = "d1") -> DeliveredRequest {
        DeliveredRequest(contact: contact(name), message: nil, nickname: nil, token: token)
    }

    /// Asks where there is no token, and rejects where it has expired.
    private func record(acts: Bool = true) -> DecisionRecord {
        let expired = DecisionRecord(
            decision: .reject(Rejection()), by: .rule, rule: "too late", facts: #"{"token":"expired"}"#, acts: acts,
            steps: acts ? [.verdict] : [])
        return DecisionRecord(
            decision: .ask, by: .default, facts: #"{"account":"a"}"#, trace: "[1]", acts: acts,
            stepsIfInvited: acts ? [.verdict, .subscribeBack] : [], ifExpired: .record(expired))
    }

    @Test("what is decided is what its token is worth: nothing, nothing any more, or an invitation")
    func worth() async throws {
        try await make(ends: time(5), digest: "late")
        try await make(digest: "good")
        let rows = try await store.commit(
            account: account, session: 1, at: time(6),
            changes: ["none", "late", "good"].map { .opened(showing($0, $0), record()) })
        #expect(rows.map { $0?.state } == [.open, .rejected, .accepted])
        #expect(rows.map { $0?.rule } == [nil, "too late", nil])
        #expect(rows[1]?.outbox?.steps.map(\.kind) == [.verdict])
        let facts = try await store.texts("SELECT facts FROM journal ORDER BY id")
        #expect(facts == [#"{"account":"a"}"#, #"{"token":"expired"}"#, #"{"account":"a","token":"valid"}"#])
        let history = try await store.history(limit: 9, before: nil, account: nil)
        #expect(history.map(\.by) == ["token", "rule", "default"])
    }

    @Test("where a rule does not read tokens, one that has expired is a fact all the same")
    func unread() async throws {
        try await make(ends: time(5))
        var plain = record()
        plain.ifExpired = nil
        plain.facts = "{}"
        try await store.change(.opened(showing("ann"), plain), at: time(6))
        #expect(try await store.texts("SELECT facts FROM journal") == [#"{"token":"expired"}"#])
    }

    @Test("a mode that only observes says what a token is worth, uses nothing, and says it once")
    func observed() async throws {
        try await make()
        let first = try #require(try await store.change(.opened(showing("ann"), record(acts: false))))
        #expect(first.state == .recorded && first.decision == DecisionRecord.ofInvitation && first.invitation == nil)
        try await store.change(.redelivered(showing("ann"), record(acts: false)))
        #expect(try await store.history(limit: 9, before: nil, account: nil).map(\.by) == ["token"])
        #expect(try await store.invitations(of: nil).map(\.used) == [0])
        // The mode acts from now on.
        let acting = try #require(try await store.change(.redelivered(showing("ann"), record())))
        #expect(acting.state == .accepted && acting.invitation == 1)
        #expect(try await store.invitations(of: nil).map(\.used) == [1])
    }

    @Test("a received request is kept undecided, with its token, and decided once by what was found")
    func received() async throws {
        try await make()
        let row = try #require(try await store.change(.received(showing("ann"))))
        #expect(row.state == .recorded && row.decision == nil && row.isLive && !row.onDesk)
        #expect(try await store.history(limit: 9, before: nil, account: nil).isEmpty)
        #expect(try await store.invitations(of: nil).map(\.used) == [0])
        #expect(try await store.liveRequests(of: account).first?.decision == nil)
        let decided = try #require(try await store.change(.decided(contact: contact("ann"), record())))
        #expect(decided.id == row.id && decided.state == .accepted)
        #expect(try await store.invitations(of: nil).map(\.used) == [1])
        // A second answer finds it decided.
        let again = try #require(try await store.change(.decided(contact: contact("ann"), record())))
        #expect(again.state == .accepted)
        #expect(try await store.history(limit: 9, before: nil, account: nil).count == 1)
    }

    @Test("a withdrawn request that is received again is undecided under its number, and closes where it is taken back")
    func reopened() async throws {
        let first = try #require(try await store.change(.opened(showing("ann", nil), record())))
        try await store.change(.closed(contact: contact("ann"), as: withdrawal))
        let again = try #require(try await store.change(.received(showing("ann", nil))))
        #expect(again.id == first.id && again.state == .recorded && again.decision == nil && again.rule == nil)
        let counted = try #require(try await store.change(.received(showing("ann", nil))))
        #expect(counted.seenCount == again.seenCount + 1)
        let closed = try #require(try await store.change(.closed(contact: contact("ann"), as: withdrawal)))
        #expect(closed.state == .withdrawn)
        #expect(try await store.change(.decided(contact: contact("ann"), record())) == nil)
    }

    @Test("what follows from a verified move is the same for a rule and for a person")
    func followed() {
        let both = MoveClaim(from: contact("old"), state: .verifiedBoth)
        let accept = Decision.accept(Acceptance(groups: ["A"]))
        let (decision, steps) = both.followed(accept, [.rosterSet, .verdict], old: nil, new: nil)
        #expect(decision == .accept(Acceptance(subscribeBack: true, groups: ["A"])))
        #expect(steps == [.rosterSet, .verdict, .subscribeBack, .revokeOld])
        #expect(
            both.followed(accept, [.verdict, .subscribeBack], old: nil, new: nil).steps == [
                .verdict, .subscribeBack, .revokeOld,
            ])
        let seen = MoveClaim(from: contact("old"), state: .verified)
        #expect(seen.followed(accept, [.verdict], old: nil, new: nil).steps == [.verdict, .revokeOld])
        let claimed = MoveClaim(from: contact("old"), state: .claimed)
        for (claim, decision) in [
            (claimed, accept), (both, Decision.reject(Rejection())), (both, .ask), (both, .ignore),
        ] {
            #expect(claim.followed(decision, [.verdict], old: nil, new: nil) == (decision, [.verdict]))
        }
    }
}
