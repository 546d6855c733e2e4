public import XMPPCore

/// A vCard as XEP-0054 has it.
///
/// It keeps what it was read from: a card is always published as a whole, so what this type does not know must go back as
/// it came. Setting a field changes this field only.
public struct VCard: Hashable, Sendable {
    /// Most elements of one kind that are read, such as addresses.
    public static let limit = 100

    /// `<vCard/>`, with everything in it.
    public internal(set) var element: Element

    /// An empty card.
    public init() {
        element = Element("vCard", namespace: Namespace.vCard)
    }

    /// Reads one; nil where the element is none.
    public init?(_ element: Element) {
        guard element.matches("vCard", Namespace.vCard) else { return nil }
        self.element = element
    }

    /// Whether it says nothing.
    public var isEmpty: Bool { element.elements.isEmpty }

    /// Asks for a card, and nothing else: the request's payload.
    public static var request: Element { Element("vCard", namespace: Namespace.vCard) }

    // MARK: Fields

    /// The name to show (`FN`).
    public var fullName: String? {
        get { text("FN") }
        set { set("FN", newValue) }
    }

    /// What friends say (`NICKNAME`); several stand between commas.
    public var nickname: String? {
        get { text("NICKNAME") }
        set { set("NICKNAME", newValue) }
    }

    /// A page of theirs (`URL`).
    public var url: String? {
        get { text("URL") }
        set { set("URL", newValue) }
    }

    /// Something about them (`DESC`).
    public var about: String? {
        get { text("DESC") }
        set { set("DESC", newValue) }
    }

    /// The day of birth as it is written (`BDAY`).
    public var birthday: String? {
        get { text("BDAY") }
        set { set("BDAY", newValue) }
    }

    /// The account (`JABBERID`): whatever stands here, and no proof of anything.
    public var jabberID: String? {
        get { text("JABBERID") }
        set { set("JABBERID", newValue) }
    }

    /// The job title (`TITLE`).
    public var title: String? {
        get { text("TITLE") }
        set { set("TITLE", newValue) }
    }

    /// The parts of the name (`N`).
    public var name: VCardName? {
        get { element.first("N", Namespace.vCard).map { VCardName($0) } }
        set {
            guard let newValue else { return remove("N") }
            replace(newValue.written(into: element.first("N", Namespace.vCard)))
        }
    }

    /// Postal addresses in parts (`ADR`).
    public var addresses: [VCardAddress] {
        get { all("ADR").map { VCardAddress($0) } }
        set { replace(all: "ADR", newValue.map(\.element)) }
    }

    /// Postal addresses as they stand on an envelope (`LABEL`).
    public var labels: [VCardLabel] {
        get { all("LABEL").map { VCardLabel($0) } }
        set { replace(all: "LABEL", newValue.map(\.element)) }
    }

    /// Telephone numbers (`TEL`).
    public var telephones: [VCardTelephone] {
        get { all("TEL").map { VCardTelephone($0) } }
        set { replace(all: "TEL", newValue.map(\.element)) }
    }

    /// Mail addresses (`EMAIL`).
    public var emails: [VCardEmail] {
        get { all("EMAIL").map { VCardEmail($0) } }
        set { replace(all: "EMAIL", newValue.map(\.element)) }
    }

    /// The picture (`PHOTO`).
    ///
    /// Setting the one that is there already changes nothing, so a card that did not change is still the same.
    public var photo: VCardPhoto? {
        get { element.first("PHOTO", Namespace.vCard).map { VCardPhoto($0) } }
        set {
            guard newValue != photo else { return }
            if let newValue { replace(newValue.element) } else { remove("PHOTO") }
        }
    }

    // MARK: Parts

    private func text(_ name: String) -> String? {
        element.first(name, Namespace.vCard).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }

    private mutating func set(_ name: String, _ text: String?) {
        guard !sameBytes(self.text(name), text) else { return }
        guard let text, !text.isEmpty else { return remove(name) }
        replace(Element(name, namespace: Namespace.vCard, children: [.text(text)]))
    }

    private func all(_ name: String) -> [Element] {
        element.elements.lazy.filter { $0.matches(name, Namespace.vCard) }.prefix(Self.limit).map { $0 }
    }

    private mutating func remove(_ name: String) { element.children.removeAll { Self.isNamed($0, name) } }

    /// In the place of the first one of its name, else at the end.
    private mutating func replace(_ new: Element) {
        if let index = element.children.firstIndex(where: { Self.isNamed($0, new.name) }) {
            element.children[index] = .element(new)
        } else {
            element.children.append(.element(new))
        }
    }

    private mutating func replace(all name: String, _ new: [Element]) {
        guard all(name) != new else { return }
        let index = element.children.firstIndex { Self.isNamed($0, name) }
        remove(name)
        element.children.insert(
            contentsOf: new.map(Element.Node.element), at: min(index ?? element.children.count, element.children.count))
    }

    private static func isNamed(_ node: Element.Node, _ name: String) -> Bool {
        if case .element(let element) = node { element.matches(name, Namespace.vCard) } else { false }
    }
}
