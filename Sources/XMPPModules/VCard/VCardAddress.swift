import XMPPCore

/// A postal address in parts (XEP-0054, `ADR`).
public struct VCardAddress: Hashable, Sendable {
    static let known = ["HOME", "WORK", "POSTAL", "PARCEL", "DOM", "INTL", "PREF"]

    private var rest = Element("ADR", namespace: Namespace.vCard)
    /// What it is for, such as `HOME`, `WORK` or `PREF`.
    public var marks: Set<String>
    /// The post office box.
    public var box: String?
    /// What the street alone does not say.
    public var extended: String?
    /// The street with the number.
    public var street: String?
    /// The town.
    public var locality: String?
    /// The state or province.
    public var region: String?
    /// The postal code.
    public var postalCode: String?
    /// The country.
    public var country: String?

    /// An address.
    public init(
        _ marks: Set<String> = [], street: String? = nil, postalCode: String? = nil, locality: String? = nil,
        country: String? = nil
    ) {
        self.marks = marks
        (self.street, self.postalCode, self.locality, self.country) = (street, postalCode, locality, country)
    }

    init(_ element: Element) {
        rest = element
        marks = VCardPart.marks(of: element, among: Self.known)
        box = VCardPart.text("POBOX", in: element)
        extended = VCardPart.text("EXTADD", in: element)
        street = VCardPart.text("STREET", in: element)
        locality = VCardPart.text("LOCALITY", in: element)
        region = VCardPart.text("REGION", in: element)
        postalCode = VCardPart.text("PCODE", in: element)
        // The DTD says CTRY; some write COUNTRY.
        country = VCardPart.text("CTRY", in: element) ?? VCardPart.text("COUNTRY", in: element)
    }

    var element: Element {
        var element = rest
        VCardPart.mark(&element, with: marks, among: Self.known)
        VCardPart.set("POBOX", to: box, in: &element)
        VCardPart.set("EXTADD", to: extended, in: &element)
        VCardPart.set("STREET", to: street, in: &element)
        VCardPart.set("LOCALITY", to: locality, in: &element)
        VCardPart.set("REGION", to: region, in: &element)
        VCardPart.set("PCODE", to: postalCode, in: &element)
        let written = VCardPart.text("CTRY", in: element) ?? VCardPart.text("COUNTRY", in: element)
        if !sameBytes(written, country) {
            VCardPart.set("COUNTRY", to: nil, in: &element)
            VCardPart.set("CTRY", to: country, in: &element)
        }
        return element
    }
}
