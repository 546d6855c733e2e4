import Testing
import XMPPCore

/// Reads an element from text; the namespace of stanzas is the default.
func xml(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Element {
    let parser = XMLStreamParser(limits: XMLLimits(stanzaBytes: 1 << 20))
    let events = parser.feed(Array("<s xmlns='jabber:client'>\(text)</s>".utf8))
    for case .element(let element) in events { return element }
    throw try #require(nil as (any Error)?, "no element: \(text)", sourceLocation: sourceLocation)
}

extension BareJID {
    static let bot = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
    static let ann = BareJID(preparedLocal: "ann", preparedDomain: "example.org")
    static let eve = BareJID(preparedLocal: "eve", preparedDomain: "example.net")
    static let room = BareJID(preparedLocal: "den", preparedDomain: "rooms.example.org")
}

extension JID {
    /// The same address with a resource.
    static func of(_ bare: BareJID, _ resource: String) throws -> JID { try JID("\(bare)/\(resource)") }
}
