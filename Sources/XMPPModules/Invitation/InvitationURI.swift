public import XMPPCore

/// A link that invites somebody to add an account: `xmpp:user@domain?roster;preauth=TOKEN` (XEP-0379, RFC 5122).
public struct InvitationURI: Hashable, Sendable {
    /// Most bytes of a token that is read or written.
    public static let tokenLimit = 256

    /// Whom the link adds.
    public var account: BareJID
    /// Shown in the request, so that it is accepted at once.
    public var token: String
    /// The name that the link offers for the account; nil for none.
    public var name: String?

    /// A link.
    public init(account: BareJID, token: String, name: String? = nil) {
        self.account = account
        self.token = token
        self.name = name
    }

    /// The token that a request carries.
    ///
    /// - Parameter presence: Any presence.
    /// - Returns: Nil where there is none, or it is longer than any that is made.
    public static func token(in presence: Presence) -> String? {
        guard let preauth = presence.element.first("preauth", Namespace.preAuthentication),
            let token = preauth[attribute: "token"], (1...tokenLimit).contains(token.utf8.count)
        else { return nil }
        return token
    }

    /// A request that shows a token.
    ///
    /// - Parameters:
    ///   - contact: Whom to ask.
    ///   - token: As the link has it.
    /// - Returns: The `subscribe`.
    public static func request(to contact: BareJID, token: String) -> Element {
        var presence = SubscriptionPayload.presence(.subscribe, to: contact)
        presence.children.append(
            .element(Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", token)])))
        return presence
    }

    /// Percent-encoded but for what every part may hold (RFC 3986 section 2.3).
    fileprivate static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            case _:
                bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension InvitationURI: CustomStringConvertible {
    /// The link.
    public var description: String {
        let local = account.local.map { Self.encoded($0) + "@" } ?? ""
        let name = name.map { ";name=" + Self.encoded($0) } ?? ""
        return "xmpp:" + local + Self.encoded(account.domain) + "?roster;preauth=" + Self.encoded(token) + name
    }
}
