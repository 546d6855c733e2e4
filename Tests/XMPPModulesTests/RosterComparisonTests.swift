import Testing
import XMPPCore
import XMPPModules

/// What happened while nobody listened, as two rosters show it.
@Suite struct RosterComparisonTests {
    private func change(_ before: SubscriptionState, _ after: SubscriptionState) -> [RosterDifference.Subscription] {
        let item = RosterItem(jid: .ally)
        return RosterDifference(before: before.applied(to: item), after: after.applied(to: item))?.subscriptions ?? []
    }

    @Test(
        "a subscription that changed is the events that it means",
        arguments: [
            (SubscriptionState.none, SubscriptionState.nonePendingOut, [RosterDifference.Subscription.asked]),
            (.nonePendingOut, .to, [.approved]), (.nonePendingOut, .none, [.denied]), (.to, .none, [.cancelled]),
            (.none, .from, [.admitted]), (.from, .none, [.unsubscribed]), (.fromPendingOut, .both, [.approved]),
            (.fromPendingOut, .from, [.denied]), (.both, .from, [.cancelled]), (.both, .to, [.unsubscribed]),
            (.both, .none, [.cancelled, .unsubscribed]), (.nonePendingOut, .both, [.approved, .admitted]),
            (.nonePendingOut, .from, [.denied, .admitted]), (.nonePendingOut, .fromPendingOut, [.admitted]),
            (.to, .nonePendingOut, [.cancelled, .asked]), (.from, .fromPendingOut, [.asked]), (.both, .both, []),
            (.to, .fromPendingOut, [.cancelled, .asked, .admitted]),
        ] as [(SubscriptionState, SubscriptionState, [RosterDifference.Subscription])])
    func subscriptions(
        before: SubscriptionState, after: SubscriptionState, expected: [RosterDifference.Subscription]
    ) {
        #expect(change(before, after) == expected)
    }

    @Test("the two rosters differ in who is new, gone, renamed and regrouped")
    func all() {
        let before: Roster = [
            RosterItem(jid: .ally, name: "Ally", subscription: .both, groups: ["A", "B"]),
            RosterItem(jid: .of("same"), name: "Same", groups: ["B", "A"]),
            RosterItem(jid: .of("gone"), subscription: .both), RosterItem(jid: .of("named"), name: "caf\u{E9}"),
        ]
        let after: Roster = [
            RosterItem(jid: .ally, name: "Ally", subscription: .to, groups: ["A"]),
            RosterItem(jid: .of("same"), name: "Same", groups: ["A", "B"]),
            RosterItem(jid: .of("named"), name: "cafe\u{301}"), RosterItem(jid: .new, subscription: .both),
        ]
        let comparison = RosterComparison(from: before, to: after)
        #expect(comparison.added.map(\.jid) == [.new] && comparison.removed.map(\.jid) == [.of("gone")])
        #expect(comparison.renamed.map(\.jid) == [.of("named")] && comparison.regrouped.map(\.jid) == [.ally])
        #expect(
            comparison.differences.map(\.jid.description) == [
                "ally@example.org", "gone@example.org", "named@example.org", "new@example.net", "same@example.org",
            ])
        let byContact = Dictionary(uniqueKeysWithValues: comparison.differences.map { ($0.jid, $0) })
        #expect(byContact[.ally]?.subscriptions == [.unsubscribed])
        #expect(byContact[.new]?.subscriptions == [.approved, .admitted])
        // What each saw has ended with the item, which says enough.
        #expect(byContact[.of("gone")]?.subscriptions == [] && byContact[.of("gone")]?.isRemoved == true)
        #expect(!comparison.isEmpty && RosterComparison(from: before, to: before).isEmpty)
        #expect(RosterComparison(from: before, to: Roster()).removed.count == 4)
    }

    @Test("no difference is none, and two contacts have none")
    func none() {
        let item = RosterItem(jid: .ally)
        #expect(RosterDifference(before: item, after: item) == nil)
        #expect(RosterDifference(before: nil, after: nil) == nil)
        #expect(RosterDifference(before: item, after: RosterItem(jid: .new)) == nil)
        #expect(RosterDifference(before: nil, after: item)?.isAdded == true)
    }

    @Test("each state compared with each gives what a machine of the standard would have said")
    func machine() {
        for state in SubscriptionState.allCases {
            for stanza in SubscriptionStanza.allCases {
                let next = state.received(stanza)
                let found = change(state.visible, next.state.visible)
                switch next.meaning {
                case .approval: #expect(found == [.approved])
                case .denial: #expect(found == [.denied])
                case .cancellation: #expect(found == [.cancelled])
                case .unsubscription: #expect(found == [.unsubscribed])
                case .request, .withdrawal, .echo, .preApproval, .endOfPreApproval: #expect(found.isEmpty)
                }
            }
        }
    }
}
