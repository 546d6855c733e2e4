public import XMPPCore

/// What a gateway to another network is asked (XEP-0100 section 6.3, `jabber:iq:gateway`): how its addresses are called,
/// and the address here of somebody there.
///
/// A gateway's contacts are ordinary ones: they ask, are asked and are seen as everybody else, and its own address is a
/// contact too, that says by its presence whether it is logged in there.
///
/// ```swift
/// session.request(.set, to: gateway, GatewayPayload.address(of: "ann_1984")) { reply in
///     guard case .success(let payload) = reply, let ann = GatewayPayload.address(in: payload, behind: gateway) else { return }
///     // ann is to be added like any contact.
/// }
/// ```
public enum GatewayPayload {
    /// Most bytes of a text that is read.
    public static let textLimit = 1_024

    /// Asks how the addresses of that network are called: a `get`.
    public static func prompt() -> Element { Element("query", namespace: Namespace.gateway) }

    /// What is said of that: words for people, in the gateway's own language.
    ///
    /// - Parameter result: What the answer holds.
    /// - Returns: What to ask for, such as "Screen name", and what to do; nil where there is no such answer, or it is too long.
    public static func prompt(in result: Element?) -> (prompt: String, description: String?)? {
        guard let result, result.matches("query", Namespace.gateway),
            let prompt = result.first("prompt", Namespace.gateway)?.text, (1...textLimit).contains(prompt.utf8.count)
        else { return nil }
        let description = result.first("desc", Namespace.gateway)?.text
        return (prompt, description.flatMap { (1...textLimit).contains($0.utf8.count) ? $0 : nil })
    }

    /// Asks for the address here of somebody there, by the name that they have there: a `set`.
    public static func address(of name: String) -> Element {
        let prompt = Element("prompt", namespace: Namespace.gateway, children: [.text(name)])
        return Element("query", namespace: Namespace.gateway, children: [.element(prompt)])
    }

    /// The address that a gateway gives.
    ///
    /// - Parameters:
    ///   - result: What its answer holds.
    ///   - gateway: Who was asked: an address that is not behind it is none that it may give.
    /// - Returns: Nil where there is none.
    public static func address(in result: Element?, behind gateway: BareJID) -> BareJID? {
        guard let result, result.matches("query", Namespace.gateway) else { return nil }
        // Older gateways answer with the element that they were asked by.
        let element = result.first("jid", Namespace.gateway) ?? result.first("prompt", Namespace.gateway)
        guard let text = element?.text, let address = try? JID(text), address.bare.local != nil,
            sameBytes(address.bare.domain, gateway.domain)
        else { return nil }
        return address.bare
    }
}

extension DiscoInfo {
    /// The networks that an entity is a gateway to (XEP-0100 section 4.1): the types of its identities, such as `irc` or
    /// `sms`; empty where it is none.
    public var gateways: [String] {
        identities.filter { sameBytes($0.category, "gateway") }.map(\.type)
    }
}
