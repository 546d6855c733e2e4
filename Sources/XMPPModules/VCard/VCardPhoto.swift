public import XMPPCore

/// The picture of a card (XEP-0054, `PHOTO`).
public enum VCardPhoto: Hashable, Sendable {
    /// These bytes; the type is what the card says, and only a hint (XEP-0153 section 5).
    case bytes([UInt8], type: String?)
    /// Somewhere else; it is never fetched from there (XEP-0153 section 4.5).
    case external(String)
    /// An empty one, as some cards say that there is none.
    case none
    /// One that cannot be read, as it is no base64 or is too long.
    case unreadable

    /// Most bytes that are read.
    ///
    /// More than a picture may have, so that one that is too big is known for that and not for broken.
    private static let limit = 2 * AvatarImage.limit

    /// A picture to publish.
    public init(_ image: AvatarImage) {
        self = .bytes(image.bytes, type: image.format.mediaType)
    }

    init(_ element: Element) {
        if let binary = element.first("BINVAL", Namespace.vCard), binary.text.utf8.contains(where: { $0 > 0x20 }) {
            self =
                EncodedBytes.decode(binary.text, limit: Self.limit).map {
                    .bytes($0, type: VCardPart.text("TYPE", in: element))
                } ?? .unreadable
        } else if let place = VCardPart.text("EXTVAL", in: element) {
            self = .external(place)
        } else {
            self = .none
        }
    }

    /// Its picture; nil where it has none that we take.
    public var image: AvatarImage? {
        if case .bytes(let bytes, _) = self { try? AvatarImage(bytes) } else { nil }
    }

    /// The hash of what is there, whatever it is; nil where there are no bytes.
    public var hash: AvatarHash? {
        if case .bytes(let bytes, _) = self { AvatarHash(of: bytes) } else { nil }
    }

    var element: Element {
        var children: [Element] = []
        func add(_ name: String, _ text: String) {
            children.append(Element(name, namespace: Namespace.vCard, children: [.text(text)]))
        }
        switch self {
        case .bytes(let bytes, let type):
            if let type { add("TYPE", type) }
            add("BINVAL", Base64.encode(bytes))
        case .external(let place): add("EXTVAL", place)
        case .none, .unreadable: break
        }
        return Element("PHOTO", namespace: Namespace.vCard, children: children.map(Element.Node.element))
    }
}
