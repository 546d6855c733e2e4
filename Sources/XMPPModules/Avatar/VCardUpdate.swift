public import XMPPCore

/// What a presence says of the picture in its sender's vCard (XEP-0153 section 4.1).
public enum VCardUpdate: Hashable, Sendable {
    /// Nothing: the sending client does not know of it.
    case unsupported
    /// The client knows of it, and not yet what picture there is.
    case notReady
    /// There is no picture.
    case none
    /// This one.
    case picture(AvatarHash)
    /// Something that names no picture, such as a word.
    case invalid

    /// Reads it.
    public init(_ presence: Presence) {
        guard let update = presence.element.first("x", Namespace.vCardUpdate) else {
            self = .unsupported
            return
        }
        guard let photo = update.first("photo", Namespace.vCardUpdate) else {
            self = .notReady
            return
        }
        let text = String(decoding: photo.text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
        guard !text.isEmpty else {
            self = .none
            return
        }
        guard let hash = AvatarHash(text) else {
            self = .invalid
            return
        }
        // Some say so that they have none.
        self = hash == .ofNothing ? .none : .picture(hash)
    }

    /// `<x/>`; nil for a client that does not know of it.
    public var element: Element? {
        let photo: Element?
        switch self {
        case .unsupported: return nil
        case .notReady, .invalid: photo = nil
        case .none: photo = Element("photo", namespace: Namespace.vCardUpdate)
        case .picture(let hash):
            photo = Element("photo", namespace: Namespace.vCardUpdate, children: [.text(hash.description)])
        }
        return Element(
            "x", namespace: Namespace.vCardUpdate, children: photo.map { [.element($0)] } ?? [])
    }
}
