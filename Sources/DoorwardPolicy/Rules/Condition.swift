/// One condition of a rule, with the words and the place that its trace shows.
package struct Condition: Sendable {
    /// What is asked of the facts.
    ///
    /// Several values, or several sets of values, mean any of them.
    package indirect enum Test: Sendable {
        /// The requester's bare address.
        case from([AddressSet])
        /// The part of the requester's address before the `@`.
        case user([LocalPartSet])
        /// The requester's domain.
        case domain([DomainSet])
        /// The account that is asked.
        case account([AddressSet])
        /// The request's text holds one of these.
        case messageContains([TextSet])
        /// The request has no text (true), or has one (false).
        case messageAbsent(Bool)
        /// The request's text has more Unicode scalars than this.
        case messageLongerThan(Int)
        /// The state of the contact's roster item; without an item it is `none`.
        case subscription(Set<RosterFact.Subscription>)
        case inRoster(Bool)
        /// What the request's invitation token is worth.
        case token(Set<TokenFact>)
        /// Whether the request comes from a contact who has moved.
        case moved(Set<MoveFact>)
        /// Whether the requester is behind a gateway that is a contact of ours.
        case gateway(Bool)
        case all([Condition])
        case any([Condition])
        /// Not all of these.
        case not([Condition])
    }

    package var test: Test
    /// The condition with what it asks: `domain: "*.example.org"`.
    package var label: String
    /// `file:line:column`.
    package var place: String

    package init(_ test: Test, label: String, place: String) {
        self.test = test
        self.label = label
        self.place = place
    }

    /// Whether it, or one inside it, asks what an invitation token is worth.
    var readsToken: Bool {
        switch test {
        case .token: true
        case .all(let inner), .any(let inner), .not(let inner): inner.contains(where: \.readsToken)
        case .from, .user, .domain, .account, .messageContains, .messageAbsent, .messageLongerThan, .subscription,
            .inRoster, .moved, .gateway:
            false
        }
    }
}
