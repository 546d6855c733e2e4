/// Values of one kind, of which any may match.
package protocol ValueSet: Sendable {
    static var kind: ValueKind { get }

    init()

    /// Adds a value as a policy or a list writes it.
    ///
    /// - Returns: False where the same value, prepared, was there before.
    mutating func insert(_ text: String) throws(PatternError) -> Bool

    var isEmpty: Bool { get }
}

/// What the values of a set are, in the words of faults.
package enum ValueKind: String, Sendable {
    case addresses, users, domains, texts
}
