/// The tables of RFC 6121 appendix A.2 and A.3.
///
/// One row a state, one cell a stanza. The prose of sections 3.2.3 and 3.3.3 names fewer cases; the appendix is whole, and
/// what servers do.
enum SubscriptionTable {
    /// What one stanza does in one state.
    enum Cell {
        /// It is handed on and leads to another state.
        case leads(SubscriptionState, SubscriptionTransition.Meaning)
        /// As that, and the server answers by `unsubscribed`.
        case ends(SubscriptionState, SubscriptionTransition.Meaning)
        /// It is handed on, and changes nothing here: the other side may not know what we know.
        case passes
        /// It goes no further and changes nothing.
        case stops
        /// As that, and the server answers by `subscribed`.
        case isAnswered
        /// It goes no further: it approves what was not asked for.
        case approvesAhead
        /// It goes no further: it takes such an approval back.
        case takesBack

        func transition(from state: SubscriptionState, by stanza: SubscriptionStanza) -> SubscriptionTransition {
            switch self {
            case .leads(let next, let meaning):
                SubscriptionTransition(state: next, passes: true, answer: nil, meaning: meaning)
            case .ends(let next, let meaning):
                SubscriptionTransition(state: next, passes: true, answer: .unsubscribed, meaning: meaning)
            case .passes:
                SubscriptionTransition(state: state, passes: true, answer: nil, meaning: .echo)
            case .stops:
                SubscriptionTransition(state: state, passes: false, answer: nil, meaning: .echo)
            case .isAnswered:
                SubscriptionTransition(state: state, passes: false, answer: .subscribed, meaning: .echo)
            case .approvesAhead:
                SubscriptionTransition(state: state, passes: false, answer: nil, meaning: .preApproval)
            case .takesBack:
                SubscriptionTransition(state: state, passes: false, answer: nil, meaning: .endOfPreApproval)
            }
        }
    }

    /// The cells of one state.
    struct Row {
        let subscribe, unsubscribe, subscribed, unsubscribed: Cell

        init(_ subscribe: Cell, _ unsubscribe: Cell, _ subscribed: Cell, _ unsubscribed: Cell) {
            self.subscribe = subscribe
            self.unsubscribe = unsubscribe
            self.subscribed = subscribed
            self.unsubscribed = unsubscribed
        }

        subscript(stanza: SubscriptionStanza) -> Cell {
            switch stanza {
            case .subscribe: subscribe
            case .subscribed: subscribed
            case .unsubscribe: unsubscribe
            case .unsubscribed: unsubscribed
            }
        }
    }

    /// Appendix A.2: what the account sends.
    ///
    /// A cell each for subscribe, unsubscribe, subscribed, unsubscribed.
    static func sent(_ state: SubscriptionState) -> Row {
        switch state {
        case .none: Row(.leads(.nonePendingOut, .request), .passes, .approvesAhead, .takesBack)
        case .nonePendingOut: Row(.passes, .leads(.none, .withdrawal), .approvesAhead, .takesBack)
        case .nonePendingIn:
            Row(.leads(.nonePendingOutIn, .request), .passes, .leads(.from, .approval), .leads(.none, .denial))
        case .nonePendingOutIn:
            Row(
                .passes, .leads(.nonePendingIn, .withdrawal), .leads(.fromPendingOut, .approval),
                .leads(.nonePendingOut, .denial))
        case .to: Row(.passes, .leads(.none, .unsubscription), .approvesAhead, .takesBack)
        case .toPendingIn:
            Row(.passes, .leads(.nonePendingIn, .unsubscription), .leads(.both, .approval), .leads(.to, .denial))
        case .from: Row(.leads(.fromPendingOut, .request), .passes, .stops, .leads(.none, .cancellation))
        case .fromPendingOut:
            Row(.passes, .leads(.from, .withdrawal), .stops, .leads(.nonePendingOut, .cancellation))
        case .both: Row(.passes, .leads(.from, .unsubscription), .stops, .leads(.to, .cancellation))
        }
    }

    /// Appendix A.3: what the contact sends.
    ///
    /// A cell each for subscribe, unsubscribe, subscribed, unsubscribed.
    static func received(_ state: SubscriptionState) -> Row {
        switch state {
        case .none: Row(.leads(.nonePendingIn, .request), .stops, .stops, .stops)
        case .nonePendingOut:
            Row(.leads(.nonePendingOutIn, .request), .stops, .leads(.to, .approval), .leads(.none, .denial))
        case .nonePendingIn: Row(.stops, .ends(.none, .withdrawal), .stops, .stops)
        case .nonePendingOutIn:
            Row(
                .stops, .ends(.nonePendingOut, .withdrawal), .leads(.toPendingIn, .approval),
                .leads(.nonePendingIn, .denial))
        case .to: Row(.leads(.toPendingIn, .request), .stops, .stops, .leads(.none, .cancellation))
        case .toPendingIn: Row(.stops, .ends(.to, .withdrawal), .stops, .leads(.nonePendingIn, .cancellation))
        case .from: Row(.isAnswered, .ends(.none, .unsubscription), .stops, .stops)
        case .fromPendingOut:
            Row(
                .isAnswered, .ends(.nonePendingOut, .unsubscription), .leads(.both, .approval),
                .leads(.from, .denial))
        case .both: Row(.isAnswered, .ends(.to, .unsubscription), .stops, .leads(.from, .cancellation))
        }
    }
}
