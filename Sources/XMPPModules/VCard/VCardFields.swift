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
