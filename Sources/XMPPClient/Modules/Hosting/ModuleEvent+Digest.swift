import XMPPCore
import XMPPCrypto

extension ModuleEvent {
    // Ids that servers add, and stamps, differ each time.
    private static func isOfServer(_ child: Element) -> Bool {
        child.name == "delay" || child.name == "stanza-id" || child.name == "origin-id"
    }

    /// What tells a harmful event again when it comes back: its kind, who is behind it, and what he wrote.
    ///
    /// Not its id or its time, which are others each time, and no word of it: a digest.
    package var digest: String {
        var bytes: [UInt8] = []
        func add(_ text: String?) {
            bytes += (text ?? "").utf8
            bytes.append(0xFF)
        }
        func add(_ element: Element, of sender: JID?) {
            add(sender?.bare.description)
            for child in element.elements where !Self.isOfServer(child) {
                bytes += child.serialized(inside: Namespace.client)
            }
        }
        switch self {
        case .online: add("online")
        case .offline: add("offline")
        case .message(let message, _):
            add("message")
            add(message.element, of: message.from)
        case .presence(let presence, _):
            add("presence")
            add(presence.element, of: presence.from)
        case .contact(let contact):
            add("contact")
            add(contact.jid.description)
            add(contact.name)
            for group in contact.groups { add(group) }
        case .contactRemoved(let contact):
            add("contact removed")
            add(contact.description)
        case .decision(let decision):
            add("decision")
            add(decision.contact.description)
            add(decision.nickname)
        case .request(let request):
            add("request")
            add(request.iq.element, of: request.iq.from)
        case .receipt(let receipt):
            add("receipt")
            add(receipt.at.bare.description)
        }
        return hexadecimal(Array(XMPPCrypto.digest(.sha256, bytes).prefix(16)))
    }
}
