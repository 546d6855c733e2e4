import XMPPCore

/// One try to log in: what was offered, chosen and asked for, and what follows if it fails.
struct Authentication: Sendable {
    enum Way: Sendable, Equatable {
        case token(HashedToken.Mechanism)
        case chosen(MechanismChoice)
    }

    var exchange: SASLExchange
    let way: Way
    /// What may follow, best first.
    let others: [MechanismChoice]
    let request: InlineRequest
    /// The features that this answers.
    let features: Element
    let sasl: SASL

    var name: String {
        switch way {
        case .token(let mechanism): mechanism.name
        case .chosen(let choice): choice.name
        }
    }

    var usesToken: Bool {
        switch way {
        case .token: true
        case .chosen: false
        }
    }

    /// The channel binding that it proves.
    var binding: ChannelBindingType? {
        switch way {
        case .token(let mechanism): mechanism.binding
        case .chosen(let choice): if case .bound(let type, _) = choice.binding { type } else { nil }
        }
    }

    /// What to remember once it has worked.
    func remembered(_ before: LoginMemory) -> LoginMemory {
        var memory = before
        switch way {
        // A token says nothing of how it was got.
        case .token: break
        case .chosen(let choice):
            switch choice.mechanism {
            case .external, .scram: memory.usedStrongMechanism = true
            case .plain: break
            }
            if case .bound(_, isAnnounced: true) = choice.binding { memory.usedAnnouncedBinding = true }
        }
        return memory
    }
}
