import XMPPCore

/// A mail address (XEP-0054, `EMAIL`).
public struct VCardEmail: Hashable, Sendable {
    private static let known = ["HOME", "WORK", "INTERNET", "PREF", "X400"]

    private var rest = Element("EMAIL", namespace: Namespace.vCard)
    /// What it is for, such as `HOME`, `WORK` or `PREF`.
    public var marks: Set<String>
    /// The address as it is written.
    public var address: String

    /// An address.
    public init(_ marks: Set<String> = ["INTERNET"], address: String) {
        (self.marks, self.address) = (marks, address)
    }

    init(_ element: Element) {
        rest = element
        marks = VCardPart.marks(of: element, among: Self.known)
        // Some put it directly into the element.
        address = VCardPart.text("USERID", in: element) ?? element.text
    }

    var element: Element {
        var element = rest
        VCardPart.mark(&element, with: marks, among: Self.known)
        guard !sameBytes(VCardPart.text("USERID", in: element) ?? element.text, address) else { return element }
        element.children.removeAll { if case .text = $0 { true } else { false } }
        VCardPart.set("USERID", to: address, in: &element)
        return element
    }
}
