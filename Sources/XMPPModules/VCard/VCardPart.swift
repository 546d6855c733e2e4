import XMPPCore

/// Reading and writing the parts of a card's fields, which keep what they do not know.
enum VCardPart {
    static func text(_ name: String, in element: Element) -> String? {
        element.first(name, Namespace.vCard).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }

    static func set(_ name: String, to text: String?, in element: inout Element) {
        guard !sameBytes(self.text(name, in: element), text) else { return }
        let index = element.children.firstIndex { node in
            if case .element(let child) = node { child.matches(name, Namespace.vCard) } else { false }
        }
        guard let text, !text.isEmpty else {
            if let index { element.children.remove(at: index) }
            return
        }
        let new = Element.Node.element(Element(name, namespace: Namespace.vCard, children: [.text(text)]))
        if let index { element.children[index] = new } else { element.children.append(new) }
    }

    /// The marks of a field, such as `HOME`: its empty children.
    static func marks(of element: Element, among known: [String]) -> Set<String> {
        Set(known.filter { element.first($0, Namespace.vCard) != nil })
    }

    static func mark(_ element: inout Element, with marks: Set<String>, among known: [String]) {
        element.children.removeAll { node in
            guard case .element(let child) = node, sameBytes(child.namespace, Namespace.vCard) else { return false }
            return known.contains { sameBytes($0, child.name) && !marks.contains($0) }
        }
        // In front, and in the order of the schema (XEP-0054 section 9).
        let new = known.filter { marks.contains($0) && element.first($0, Namespace.vCard) == nil }
        element.children.insert(
            contentsOf: new.map { .element(Element($0, namespace: Namespace.vCard)) }, at: 0)
    }
}
