/// A type that has a value to stand in for one that does not fit.
///
/// With it the rest of the settings is read, so that one run of `check` shows all that is wrong with them. It never reaches a
/// module.
private protocol StandIn {
    static var standIn: Self { get }
}

extension String: StandIn { fileprivate static var standIn: String { "" } }
extension Bool: StandIn { fileprivate static var standIn: Bool { false } }
extension Duration: StandIn { fileprivate static var standIn: Duration { .zero } }
extension Array: StandIn { fileprivate static var standIn: [Element] { [] } }
extension Set: StandIn { fileprivate static var standIn: Set<Element> { [] } }
extension Dictionary: StandIn { fileprivate static var standIn: [Key: Value] { [:] } }
extension Optional: StandIn { fileprivate static var standIn: Wrapped? { nil } }

extension YAMLDecoding {
    /// Something in place of a value of that type; nil where there is nothing to be had.
    func standIn<Value>(for type: Value.Type) -> Value? {
        if let known = type as? any StandIn.Type { return known.standIn as? Value }
        if let number = type as? any Numeric.Type { return number.zero as? Value }
        if let cases = type as? any CaseIterable.Type { return cases.anyCase as? Value }
        return nil
    }
}

extension Numeric {
    fileprivate static var zero: Any { Self(exactly: 0) as Any }
}

extension CaseIterable {
    fileprivate static var anyCase: Any { allCases.first as Any }
}
