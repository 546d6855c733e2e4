/// The attributes that all three kinds of stanzas share (RFC 6120 section 8.1).
struct StanzaHead: Hashable, Sendable {
    var from: JID?
    var id: String?
    var fromIsInvalid = false

    /// Of a stanza of ours.
    init(id: String?) {
        self.id = id
    }

    /// Reads them, and the `type` too, in one pass.
    init(_ element: Element, type: inout String?) {
        // In place: a copy of each attribute would be retained and released three times.
        let attributes = element.attributes
        for index in attributes.indices where attributes[index].namespace == nil {
            switch attributes[index].name.utf8.count {
            case 2 where id == nil && sameBytes(attributes[index].name, "id"):
                id = attributes[index].value
            case 4 where type == nil && sameBytes(attributes[index].name, "type"):
                type = attributes[index].value
            case 4 where from == nil && !fromIsInvalid && sameBytes(attributes[index].name, "from"):
                from = try? JID(attributes[index].value)
                fromIsInvalid = from == nil
            case _: break
            }
        }
    }

    /// Read when it is asked for: a client knows whom its stanzas are for.
    static func recipient(of element: Element) -> JID? { element[attribute: "to"].flatMap { try? JID($0) } }

    static func attributes(type: String?, to: JID?, id: String?) -> [Element.Attribute] {
        var attributes: [Element.Attribute] = []
        if let type { attributes.append(.init("type", type)) }
        if let to { attributes.append(.init("to", to.description)) }
        if let id { attributes.append(.init("id", id)) }
        return attributes
    }
}
