import XMPPCore

/// Elements of some words, put together by chance.
struct ElementWeaver {
    let names: [String]
    let namespaces: [String]
    let attributes: [String]
    let values: [String]
    var chance: SplitMix

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(chance.next() % UInt64(values.count))] }

    mutating func element(_ depth: Int) -> Element {
        var element = Element(pick(names), namespace: pick(namespaces))
        for _ in 0..<chance.next() % 5 { element[attribute: pick(attributes)] = pick(values) }
        guard depth > 0 else { return element }
        for _ in 0..<chance.next() % 5 {
            element.children.append(
                chance.next() % 4 == 0 ? .text(pick(values)) : .element(self.element(depth - 1)))
        }
        return element
    }
}
