import DoorwardPolicy
import Testing
import XMPPCore

@testable import DoorwardStore

/// What follows from a verified move (XEP-0283).
@Suite("A contact who has moved") struct MoveTests {
    private let old = RosterFact(subscription: .both, name: "Olga", groups: ["Friends", "Work"])

    private func followed(
        _ acceptance: Acceptance, _ state: MoveClaim.State = .verified, old: RosterFact?, new: RosterFact?
    ) -> (Acceptance?, [OutboxStep.Kind]) {
        let claim = MoveClaim(from: contact("old"), state: state)
        let (decision, steps) = claim.followed(.accept(acceptance), [.verdict], old: old, new: new)
        guard case .accept(let acceptance) = decision else { return (nil, steps) }
        return (acceptance, steps)
    }

    @Test("name and groups go to the new address, where neither it nor the decision has any")
    func names() {
        let usual = followed(Acceptance(), old: old, new: nil)
        #expect(usual.0 == Acceptance(groups: ["Friends", "Work"], name: "Olga"))
        #expect(usual.1 == [.rosterSet, .verdict, .revokeOld])
        let wished = followed(Acceptance(groups: ["Moved", "Work"], name: "O."), old: old, new: nil)
        #expect(wished.0 == Acceptance(groups: ["Moved", "Work", "Friends"], name: "O."))
        let named = RosterFact(subscription: .none, name: "Mine")
        #expect(followed(Acceptance(), old: old, new: named).0 == Acceptance(groups: ["Friends", "Work"]))
        let grouped = RosterFact(subscription: .to, groups: ["Mine"])
        #expect(followed(Acceptance(), old: old, new: grouped).0 == Acceptance(name: "Olga"))
        let both = RosterFact(subscription: .to, name: "Mine", groups: ["Mine"])
        #expect(followed(Acceptance(), old: old, new: both).1 == [.verdict, .revokeOld])
    }

    @Test("an old address without name and groups, or none, sets nothing; a claim alone has no consequence")
    func nothing() {
        for old in [nil, RosterFact(subscription: .from)] {
            let (acceptance, steps) = followed(Acceptance(), old: old, new: nil)
            #expect(acceptance == Acceptance() && steps == [.verdict, .revokeOld])
        }
        let (acceptance, steps) = followed(Acceptance(), .claimed, old: old, new: nil)
        #expect(acceptance == Acceptance() && steps == [.verdict])
        let (back, asks) = followed(Acceptance(), .verifiedBoth, old: nil, new: nil)
        #expect(back?.subscribeBack == true && asks == [.verdict, .subscribeBack, .revokeOld])
    }
}
