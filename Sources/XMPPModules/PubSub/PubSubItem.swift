public import XMPPCore

/// What is published at a node, under an id.
public struct PubSubItem: Hashable, Sendable {
    /// The id; nil lets the service choose one, where we publish.
    public var id: String?
    /// What is published; nil where only the id was told.
    public var payload: Element?

    /// An item.
    public init(id: String?, payload: Element?) {
        self.id = id
        self.payload = payload
    }

    /// Reads an `<item/>`; an empty id is none.
    ///
    /// Its `publisher` is not read: it is text of whoever sent the item, and proves nothing.
    init(reading element: Element) {
        let id = element[attribute: "id"]
        self.id = id?.isEmpty == false ? id : nil
        payload = element.elements.first
    }
}
