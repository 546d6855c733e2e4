/// Values of one kind, of which any may match.
package protocol ValueSet: Sendable {
    init()

    /// Adds a value as a policy or a list writes it.
    ///
    /// - Returns: False where the same value, prepared, was there before.
    mutating func insert(_ text: String) throws(PatternError) -> Bool

    var isEmpty: Bool { get }
}
