import XMPPCore

/// The groups of a roster's items: each name once, and each combination of names once.
///
/// Ten thousand contacts have a handful of combinations, and an item has the number of its own.
struct GroupTable: Sendable {
    /// The combination of no groups.
    static let none: UInt32 = 0

    private var names: [String] = []
    private var numbers: [ByteText: UInt32] = [:]
    private var combinations: [[UInt32]] = [[]]
    private var combinationNumbers: [[UInt32]: UInt32] = [:]
    /// The combination that is one group alone, by its number: most are.
    private var alone: [UInt32] = []

    /// How many combinations there ever were.
    var count: Int { combinations.count }

    /// The number of a combination.
    mutating func number(of groups: [String]) -> UInt32 {
        guard let first = groups.first else { return Self.none }
        if groups.count == 1 {
            let name = nameNumber(first)
            if alone[Int(name)] == Self.none { alone[Int(name)] = add([name]) }
            return alone[Int(name)]
        }
        let combination = groups.map { nameNumber($0) }
        if let number = combinationNumbers[combination] { return number }
        let number = add(combination)
        combinationNumbers[combination] = number
        return number
    }

    private mutating func add(_ combination: [UInt32]) -> UInt32 {
        combinations.append(combination)
        return UInt32(truncatingIfNeeded: combinations.count - 1)
    }

    private mutating func nameNumber(_ name: String) -> UInt32 {
        let key = ByteText(name)
        if let number = numbers[key] { return number }
        let number = UInt32(truncatingIfNeeded: names.count)
        names.append(name)
        alone.append(Self.none)
        numbers[key] = number
        return number
    }

    /// The names in a combination.
    func groups(_ combination: UInt32) -> [String] {
        guard combination != Self.none, Int(combination) < combinations.count else { return [] }
        return combinations[Int(combination)].map { names[Int($0)] }
    }

    /// Whether some group of the combination holds; asked once a combination by whoever looks at many items.
    func contains(_ combination: UInt32, where holds: (String) -> Bool) -> Bool {
        guard Int(combination) < combinations.count else { return false }
        return combinations[Int(combination)].contains { holds(names[Int($0)]) }
    }
}

/// A text as a key, equal by its bytes.
struct ByteText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ByteText, right: ByteText) -> Bool { sameBytes(left.text, right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
