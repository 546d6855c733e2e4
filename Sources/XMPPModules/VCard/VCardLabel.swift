import XMPPCore

/// A postal address as it stands on an envelope (XEP-0054, `LABEL`).
public struct VCardLabel: Hashable, Sendable {
    private var rest = Element("LABEL", namespace: Namespace.vCard)
    /// What it is for, such as `HOME`, `WORK` or `PREF`.
    public var marks: Set<String>
    /// Its lines.
    public var lines: [String]

    /// A label.
    public init(_ marks: Set<String> = [], lines: [String]) {
        (self.marks, self.lines) = (marks, lines)
    }

    init(_ element: Element) {
        rest = element
        marks = VCardPart.marks(of: element, among: VCardAddress.known)
        lines = Self.lines(of: element)
    }

    private static func lines(of element: Element) -> [String] {
        element.elements.prefix(VCard.limit).filter { $0.matches("LINE", Namespace.vCard) }.map(\.text)
    }

    var element: Element {
        var element = rest
        VCardPart.mark(&element, with: marks, among: VCardAddress.known)
        guard Self.lines(of: element).map({ Array($0.utf8) }) != lines.map({ Array($0.utf8) }) else { return element }
        element.children.removeAll { node in
            if case .element(let child) = node { child.matches("LINE", Namespace.vCard) } else { false }
        }
        element.children += lines.map {
            .element(Element("LINE", namespace: Namespace.vCard, children: [.text($0)]))
        }
        return element
    }
}
