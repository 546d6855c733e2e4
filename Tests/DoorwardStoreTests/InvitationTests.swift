import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

/// Invitations: who is let in by them, and how often.
@Suite("Invitations")
struct InvitationTests {
    let store: Store

    init() throws { store = try Store(path: ":memory:") }

    private func made(
        uses: Int = 1, for name: String? = nil, of jid: BareJID = account, ends: Timestamp = time(1000),
        digest: String = "d1"
    ) async throws -> InvitationRow {
        let row = InvitationRow(
            id: 0, account: jid, name: nil, contact: name.map(contact), uses: uses, madeBy: "ana", madeAt: time(0),
            expiresAt: ends)
        return try #require(try await store.keep(row, digest: digest))
    }

    private func showing(_ name: String, _ token: String? = "d1") -> DeliveredRequest {
        DeliveredRequest(contact: contact(name), message: nil, nickname: nil, token: token)
    }

    private func record(_ decision: Decision = .ask, counts: Bool = true) -> DecisionRecord {
        DecisionRecord(
            decision: decision, by: .default, policy: "community", acts: counts,
            steps: decision == .reject(Rejection()) ? [.verdict] : [],
            stepsIfInvited: counts ? [.verdict, .subscribeBack] : nil)
    }

    private func used(_ id: Int64) async throws -> Int? {
        try await store.invitations(of: nil).first { $0.id == id }?.used
    }

    @Test("a valid token decides instead of the policy, and its use is counted", arguments: [true, false])
    func accepted(isRejected: Bool) async throws {
        let invitation = try await made()
        let policy = record(isRejected ? .reject(Rejection()) : .ask)
        let row = try #require(try await store.change(.opened(showing("ann"), policy)))
        #expect(row.state == .accepted)
        #expect(row.decision == .accept(Acceptance(subscribeBack: true)))
        #expect(row.outbox?.steps.map(\.kind) == [.verdict, .subscribeBack])
        #expect(row.invitation == invitation.id && row.rule == nil && !row.onDesk)
        #expect(try await used(invitation.id) == 1)
        let history = try #require(try await store.history(limit: 1, before: nil, account: nil).first)
        #expect(history.by == "token" && history.decision == "accept" && history.reason == "invitation 1")
    }

    @Test("a token that is used up, too late, revoked, another's, another account's or unknown is none")
    func worthless() async throws {
        _ = try await made(uses: 1, digest: "used")
        try await store.change(.opened(showing("first", "used"), record()))
        _ = try await made(ends: time(5), digest: "late")
        let revoked = try await made(digest: "revoked")
        guard case .done = try await store.revokeInvitation(revoked.id, by: "ben", at: time(1)) else {
            Issue.record("not revoked")
            return
        }
        _ = try await made(for: "bob", digest: "bobs")
        _ = try await made(of: otherAccount, digest: "other")
        for token in ["used", "late", "revoked", "bobs", "other", "none"] {
            let change = RequestChange.opened(showing(token, token), record())
            let row = try #require(try await store.change(change, at: time(5)))
            #expect(row.state == .open, "\(token)")
            #expect(row.token == token && row.invitation == nil)
        }
        // The desk says what was wrong, by the time at which the request came.
        let shown = try await store.pending(all: false, account: nil).map(\.shown)
        #expect(shown.map(\.?.worth) == [.usedUp, .expired, .revoked, .otherContact, .otherAccount, .unknown])
        #expect(shown.map(\.?.id) == [1, 2, 3, 4, 5, nil])
        try await store.change(.opened(showing("plain", nil), record()), at: time(6))
        #expect(try await store.pending(all: false, account: nil).last?.shown == nil)
        #expect(try await store.request(id: 1)?.shown?.worth == .valid, "it has used it up itself")
        #expect(try await store.invitations(of: nil).map(\.used).reduce(0, +) == 1)
    }

    @Test("two requests in one read do not share one use")
    func doubleSpending() async throws {
        _ = try await made(uses: 1)
        let changes = ["a", "b"].map { RequestChange.opened(showing($0), record()) }
        let rows = try await store.commit(account: account, session: 1, at: time(1), changes: changes)
        #expect(rows.map { $0?.state } == [.accepted, .open])
        #expect(try await used(1) == 1)
    }

    @Test("a request uses its token once, however often it is delivered, and keeps it where a server forgets it")
    func redelivery() async throws {
        let invitation = try await made(uses: 2)
        try await store.change(.opened(showing("ann"), record()))
        try await store.change(.redelivered(showing("ann", nil), nil))
        try await store.change(.redelivered(showing("ann"), record()))
        #expect(try await used(invitation.id) == 1)
        // Nothing was sent and the server lost it: withdrawn, and then delivered again without its token.
        try await store.change(.closed(contact: contact("ann"), as: withdrawal))
        let again = try #require(try await store.change(.opened(showing("ann", nil), record())))
        #expect(again.state == .accepted && again.id == 1)
        #expect(try await used(invitation.id) == 1)
    }

    @Test("a token that comes later lets in who waits on the desk; without one nothing there changes")
    func later() async throws {
        let invitation = try await made()
        let open = try #require(try await store.change(.opened(showing("ann", nil), record())))
        #expect(open.state == .open)
        let same = try #require(
            try await store.change(.redelivered(showing("ann", "wrong"), record(.reject(Rejection())))))
        #expect(same.state == .open && same.version == open.version)
        let row = try #require(try await store.change(.redelivered(showing("ann"), record())))
        #expect(row.state == .accepted && row.version == open.version)
        #expect(try await used(invitation.id) == 1)
    }

    @Test("where nothing is acted on no use is spent; what was ignored is not recorded anew for a worthless token")
    func silent() async throws {
        let invitation = try await made()
        let observed = try #require(try await store.change(.opened(showing("ann"), record(.ask, counts: false))))
        #expect(observed.state == .recorded && observed.token == "d1")
        #expect(try await used(invitation.id) == 0)
        // The account acts now, and the server no longer says the token.
        let row = try #require(try await store.change(.redelivered(showing("ann", nil), record())))
        #expect(row.state == .accepted)
        try await store.change(.opened(showing("eve", "wrong"), record(.ignore)))
        try await store.change(.redelivered(showing("eve", "wrong"), record(.ignore)))
        #expect(
            try await store.texts("SELECT contact FROM journal WHERE kind = 'decided' AND decision = 'ignore'").count
                == 1)
    }

    @Test("a crash between the two keeps both or neither: they are one transaction")
    func atomic() async throws {
        _ = try await made()
        try await store.execute(
            "CREATE TRIGGER fault BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'no'); END")
        await #expect(throws: StoreError.self) { try await store.change(.opened(showing("ann"), record())) }
        #expect(try await used(1) == 0)
        try await store.execute("DROP TRIGGER fault")
        #expect(try await store.change(.opened(showing("ann"), record()))?.state == .accepted)
    }

    @Test("an account has so many that are valid, and no more; one that is over cannot be revoked")
    func bounds() async throws {
        for number in 0..<Store.invitationLimit { _ = try await made(digest: "n\(number)") }
        let row = InvitationRow(
            id: 0, account: account, name: nil, contact: nil, uses: 1, madeBy: "ana", madeAt: time(0),
            expiresAt: time(9))
        #expect(try await store.keep(row, digest: "more") == nil)
        var late = row
        late.madeAt = time(1000)
        late.expiresAt = time(2000)
        #expect(try await store.keep(late, digest: "more") != nil)
        guard case .ended(let ended) = try await store.revokeInvitation(1, by: "ana", at: time(1000)) else {
            Issue.record("revoked after its end")
            return
        }
        #expect(ended.state(at: time(1000)) == .expired)
        #expect(try await store.revokeInvitation(99_999, by: "ana", at: time(0)) == .notFound(id: 99_999))
    }

    @Test("a verified move is seen before it is acted on, and an accept takes the old address's sight away")
    func moved() async throws {
        var request = showing("new", nil)
        request.movedFrom = contact("old")
        let open = try #require(try await store.change(.opened(request, record())))
        #expect(open.move == MoveClaim(from: contact("old"), state: .claimed))
        let claim = MoveClaim(from: contact("old"), state: .verifiedBoth)
        let verified = try #require(try await store.change(.moved(contact: contact("new"), claim)))
        #expect(verified.move == claim && verified.version == open.version + 1)
        #expect(try await store.change(.moved(contact: contact("new"), claim))?.version == verified.version)
        let plain = Answer(
            id: open.id, version: verified.version, decision: .accept(Acceptance()), steps: [.verdict], by: "ana",
            reason: nil)
        guard case .done(let row)? = try await store.answer([plain], at: time(2)).first else {
            Issue.record("not answered")
            return
        }
        #expect(row.outbox?.steps.map(\.kind) == [.verdict, .subscribeBack, .revokeOld])
        #expect(row.decision == .accept(Acceptance(subscribeBack: true)))
    }

    @Test("a claim that nobody verified has no consequence, nor has a reject")
    func claimed() async throws {
        var request = showing("new", nil)
        request.movedFrom = contact("old")
        let open = try #require(try await store.change(.opened(request, record())))
        let plain = Answer(
            id: open.id, version: nil, decision: .accept(Acceptance()), steps: [.verdict], by: "ana", reason: nil)
        guard case .done(let row)? = try await store.answer([plain], at: time(2)).first else {
            Issue.record("not answered")
            return
        }
        #expect(row.outbox?.steps.map(\.kind) == [.verdict])
        let moved = MoveClaim(from: contact("old"), state: .verified)
        let reject = Answer(
            id: 1, version: nil, decision: .reject(Rejection()), steps: [.verdict], by: "ana", reason: nil)
        #expect(reject.following(moved, old: nil, new: nil) == reject)
    }
}
