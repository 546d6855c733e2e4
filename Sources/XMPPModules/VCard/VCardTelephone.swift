import XMPPCore

/// A telephone number (XEP-0054, `TEL`).
public struct VCardTelephone: Hashable, Sendable {
    private static let known = [
        "HOME", "WORK", "VOICE", "FAX", "PAGER", "MSG", "CELL", "VIDEO", "BBS", "MODEM", "ISDN", "PCS", "PREF",
    ]

    private var rest = Element("TEL", namespace: Namespace.vCard)
    /// What it is for, such as `HOME`, `CELL` or `FAX`.
    public var marks: Set<String>
    /// The number as it is written.
    public var number: String

    /// A number.
    public init(_ marks: Set<String> = [], number: String) {
        (self.marks, self.number) = (marks, number)
    }

    init(_ element: Element) {
        rest = element
        marks = VCardPart.marks(of: element, among: Self.known)
        number = VCardPart.text("NUMBER", in: element) ?? ""
    }

    var element: Element {
        var element = rest
        VCardPart.mark(&element, with: marks, among: Self.known)
        VCardPart.set("NUMBER", to: number, in: &element)
        return element
    }
}
