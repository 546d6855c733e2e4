import DoorwardStore

/// Which kinds of steps: a set in one byte, since each stanza of a contact asks several.
struct StepSet: Hashable, ExpressibleByArrayLiteral {
    private var bits: UInt8 = 0

    init(_ kinds: [OutboxStep.Kind]) { formUnion(kinds) }

    init(arrayLiteral kinds: OutboxStep.Kind...) { formUnion(kinds) }

    func contains(_ kind: OutboxStep.Kind) -> Bool { bits & Self.bit(kind) != 0 }

    mutating func insert(_ kind: OutboxStep.Kind) { bits |= Self.bit(kind) }

    mutating func remove(_ kind: OutboxStep.Kind) { bits &= ~Self.bit(kind) }

    mutating func formUnion(_ kinds: [OutboxStep.Kind]) {
        for kind in kinds { insert(kind) }
    }

    private static func bit(_ kind: OutboxStep.Kind) -> UInt8 {
        switch kind {
        case .rosterSet: 1
        case .verdict: 2
        case .subscribeBack: 4
        case .block: 8
        case .revokeOld: 16
        }
    }
}

extension OutboxStep.Kind {
    /// Whether it is a presence, which nothing answers: the server's acknowledgement of it is all there is.
    var isPresence: Bool {
        switch self {
        case .verdict, .subscribeBack, .revokeOld: true
        case .rosterSet, .block: false
        }
    }
}
