import XMPPCore

/// The parts of a name (XEP-0054, `N`).
public struct VCardName: Hashable, Sendable {
    /// What was read, with all that is not known.
    private var rest = Element("N", namespace: Namespace.vCard)
    /// The family name.
    public var family: String?
    /// The given name.
    public var given: String?
    /// Names between the two.
    public var middle: String?
    /// Such as a title before the name.
    public var prefix: String?
    /// What stands behind the name.
    public var suffix: String?

    /// A name.
    public init(family: String? = nil, given: String? = nil) {
        (self.family, self.given) = (family, given)
    }

    init(_ element: Element) {
        rest = element
        family = VCardPart.text("FAMILY", in: element)
        given = VCardPart.text("GIVEN", in: element)
        middle = VCardPart.text("MIDDLE", in: element)
        prefix = VCardPart.text("PREFIX", in: element)
        suffix = VCardPart.text("SUFFIX", in: element)
    }

    func written(into old: Element?) -> Element {
        var element = old ?? rest
        VCardPart.set("FAMILY", to: family, in: &element)
        VCardPart.set("GIVEN", to: given, in: &element)
        VCardPart.set("MIDDLE", to: middle, in: &element)
        VCardPart.set("PREFIX", to: prefix, in: &element)
        VCardPart.set("SUFFIX", to: suffix, in: &element)
        return element
    }
}
