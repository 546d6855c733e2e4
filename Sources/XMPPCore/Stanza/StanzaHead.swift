/// The attributes that all three kinds of stanzas share (RFC 6120 section 8.1).
struct StanzaHead {
    var from: JID?
    var id: String?
    var fromIsInvalid = false

    init(_ element: Element) {
        id = element[attribute: "id"]
        if let text = element[attribute: "from"] {
            from = try? JID(text)
            fromIsInvalid = from == nil
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
