import Testing
import XMPPCore
import XMPPModules

/// RFC 6121 appendix A, against the tables written down a second time, and by walks of two machines that talk.
@Suite struct SubscriptionStateTests {
    /// Behind each state what subscribe, unsubscribe, subscribed and unsubscribed lead to: the state, or `-` for none other;
    /// with `+` in front it is handed on, with `p` it approves ahead, with `e` it ends that, with `u` or `s` the server
    /// answers unsubscribed or subscribed.
    private static let sent = """
        N   +No   +-    p-    e-
        No  +-    +N    p-    e-
        Ni  +Noi  +-    +F    +N
        Noi +-    +Ni   +Fo   +No
        T   +-    +N    p-    e-
        Ti  +-    +Ni   +B    +T
        F   +Fo   +-    -     +N
        Fo  +-    +F    -     +No
        B   +-    +F    -     +T
        """
    private static let received = """
        N   +Ni   -     -     -
        No  +Noi  -     +T    +N
        Ni  -     u+N   -     -
        Noi -     u+No  +Ti   +Ni
        T   +Ti   -     -     +N
        Ti  -     u+T   -     +Ni
        F   s-    u+N   -     -
        Fo  s-    u+No  +B    +F
        B   s-    u+T   -     +F
        """
    private static let names: [String: SubscriptionState] = [
        "N": .none, "No": .nonePendingOut, "Ni": .nonePendingIn, "Noi": .nonePendingOutIn, "T": .to, "Ti": .toPendingIn,
        "F": .from, "Fo": .fromPendingOut, "B": .both,
    ]
    private static let stanzas: [SubscriptionStanza] = [.subscribe, .unsubscribe, .subscribed, .unsubscribed]

    private func check(
        _ table: String, _ apply: (SubscriptionState, SubscriptionStanza) -> SubscriptionTransition
    ) throws -> Int {
        var checked = 0
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let state = try #require(Self.names[words[0]])
            for (stanza, word) in zip(Self.stanzas, words.dropFirst()) {
                let transition = apply(state, stanza)
                let next = word.drop { "+pesu-".contains($0) }
                let expected = next.isEmpty ? state : try #require(Self.names[String(next)])
                #expect(transition.state == expected, "\(words[0]) \(stanza)")
                #expect(transition.passes == word.contains("+"), "\(words[0]) \(stanza)")
                #expect(transition.isPreApproval == word.contains("p"), "\(words[0]) \(stanza)")
                #expect((transition.meaning == .endOfPreApproval) == word.contains("e"), "\(words[0]) \(stanza)")
                let answer: SubscriptionStanza? =
                    word.contains("u") ? .unsubscribed : word.contains("s") ? .subscribed : nil
                #expect(transition.answer == answer, "\(words[0]) \(stanza)")
                // What changes something means something, and the other way about.
                let changes = transition.state != state || word.contains("p") || word.contains("e")
                #expect((transition.meaning == .echo) == !changes, "\(words[0]) \(stanza)")
                checked += 1
            }
        }
        return checked
    }

    @Test("all 72 transitions are those of RFC 6121 appendix A")
    func tables() throws {
        #expect(try check(Self.sent) { $0.sent($1) } == 36)
        #expect(try check(Self.received) { $0.received($1) } == 36)
    }

    @Test("a state is what roster and request say together, and back")
    func bits() {
        for state in SubscriptionState.allCases {
            #expect(
                SubscriptionState(state.subscription, isPendingOut: state.isPendingOut, isPendingIn: state.isPendingIn)
                    == state)
            let item = state.applied(to: RosterItem(jid: .ally, name: "A", asked: true, groups: ["G"]))
            #expect(SubscriptionState(item, isPendingIn: state.isPendingIn) == state)
            #expect(item.name == "A" && item.groups == ["G"])
            #expect(!state.visible.isPendingIn && state.visible.subscription == state.subscription)
        }
        #expect(SubscriptionState(nil, isPendingIn: false) == .none)
        // Whoever sees the other waits for nothing.
        #expect(SubscriptionState(.both, isPendingOut: true, isPendingIn: true) == .both)
        #expect(SubscriptionState(.to, isPendingOut: true, isPendingIn: false) == .to)
        #expect(SubscriptionState(.from, isPendingOut: false, isPendingIn: true) == .from)
    }

    @Test(
        "a request that was approved ahead is answered by the server and never seen (RFC 6121 section 3.4)",
        arguments: [
            (SubscriptionState.none, SubscriptionState.from), (.nonePendingOut, .fromPendingOut), (.to, .both),
        ])
    func preApproved(state: SubscriptionState, expected: SubscriptionState) {
        let transition = state.received(.subscribe, isPreApproved: true)
        #expect(transition.state == expected && !transition.passes && transition.answer == .subscribed)
        #expect(!state.received(.subscribed, isPreApproved: true).isPreApproval)
    }

    /// Two accounts on two servers, which hand on what passes and answer by themselves.
    private struct Pair {
        var states: [SubscriptionState] = [.none, .none]
        /// Stanzas handed on for the last thing that somebody did.
        var traffic = 0

        mutating func act(_ side: Int, _ stanza: SubscriptionStanza) {
            traffic = 0
            let transition = states[side].sent(stanza)
            states[side] = transition.state
            if transition.passes { deliver(stanza, to: 1 - side) }
        }

        private mutating func deliver(_ stanza: SubscriptionStanza, to side: Int) {
            traffic += 1
            guard traffic < 10 else { return }
            let transition = states[side].received(stanza)
            states[side] = transition.state
            // What a server answers does not change its own account's state again.
            if let answer = transition.answer { deliver(answer, to: 1 - side) }
        }

        /// What one has, the other has the other way round.
        var isConsistent: Bool {
            let (mine, others) = (states[0], states[1])
            return mine.subscription.isTo == others.subscription.isFrom
                && mine.subscription.isFrom == others.subscription.isTo && mine.isPendingOut == others.isPendingIn
                && mine.isPendingIn == others.isPendingOut
        }
    }

    @Test("two machines joined back to back stay consistent over random walks, and each fall quiet at once")
    func walks() {
        var random = SplitMix(seed: 6121)
        for _ in 0..<200 {
            var pair = Pair()
            for step in 0..<100 {
                let side = Int.random(in: 0...1, using: &random)
                let stanza = SubscriptionStanza.allCases.randomElement(using: &random) ?? .subscribe
                pair.act(side, stanza)
                #expect(pair.isConsistent, "step \(step): \(stanza) of \(side): \(pair.states)")
                #expect(pair.traffic <= 2)
            }
        }
    }

    @Test("every state can be reached by the two of them, and left again to none")
    func reachable() {
        var seen: Set<SubscriptionState> = [.none]
        var random = SplitMix(seed: 1)
        var pair = Pair()
        for _ in 0..<5000 {
            pair.act(
                Int.random(in: 0...1, using: &random),
                SubscriptionStanza.allCases.randomElement(using: &random) ?? .subscribe)
            seen.insert(pair.states[0])
        }
        #expect(seen == Set(SubscriptionState.allCases))
        for side in 0...1 {
            pair.act(side, .unsubscribe)
            pair.act(side, .unsubscribed)
        }
        #expect(pair.states == [.none, .none])
    }
}

extension RosterItem.Subscription {
    fileprivate var isTo: Bool { self == .to || self == .both }
    fileprivate var isFrom: Bool { self == .from || self == .both }
}
