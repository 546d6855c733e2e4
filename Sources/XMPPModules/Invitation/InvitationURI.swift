public import XMPPCore

/// A link that invites somebody to add an account: `xmpp:user@domain?roster;preauth=TOKEN` (XEP-0379, RFC 5122).
public struct InvitationURI: Hashable, Sendable {
    /// Most bytes of a token that is read or written.
    public static let tokenLimit = 256
    /// Most bytes of a link that is read.
    public static let limit = 4_096

    /// Whom the link adds.
    public var account: BareJID
    /// Shown in the request, so that it is accepted at once.
    public var token: String
    /// The name that the link offers for the account; nil for none.
    public var name: String?
    /// Whether the token also lets its bearer make an account on the same server (XEP-0401 section 5.1: `ibr=y`).
    public var registers: Bool

    /// A link.
    public init(account: BareJID, token: String, name: String? = nil, registers: Bool = false) {
        self.account = account
        self.token = token
        self.name = name
        self.registers = registers
    }

    /// Reads a link.
    ///
    /// Other keys than these are passed over, and of two with the same name the first one counts (RFC 5122 section 2.5).
    ///
    /// - Parameter text: The link; nil comes of one that adds nobody, or has no token.
    public init?(_ text: String) {
        let scheme = "xmpp:"
        guard text.utf8.count <= Self.limit, sameBytes(text.prefix(scheme.count).lowercased(), scheme) else {
            return nil
        }
        let parts = text.dropFirst(scheme.count).prefix { $0 != "#" }
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // An authority says which account is to do it, and is none of ours.
        guard parts.count == 2, let path = PercentEncoding.decoded(parts[0]), !path.utf8.starts(with: "//".utf8),
            let account = try? JID(path), account.resource == nil
        else { return nil }
        let keys = parts[1].split(separator: ";", omittingEmptySubsequences: false)
        guard sameBytes(keys.first.map { String($0) }, "roster") else { return nil }
        var values: [String: String] = [:]
        for key in keys.dropFirst() {
            let pair = key.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, values[String(pair[0])] == nil else { continue }
            values[String(pair[0])] = PercentEncoding.decoded(pair[1])
        }
        guard let token = values["preauth"], (1...Self.tokenLimit).contains(token.utf8.count) else { return nil }
        self.init(
            account: account.bare, token: token, name: values["name"], registers: sameBytes(values["ibr"], "y"))
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
}

extension InvitationURI: CustomStringConvertible {
    /// The link.
    public var description: String {
        let encoded = PercentEncoding.encoded
        let local = account.local.map { encoded($0) + "@" } ?? ""
        let ending = (registers ? ";ibr=y" : "") + (name.map { ";name=" + encoded($0) } ?? "")
        return "xmpp:" + local + encoded(account.domain) + "?roster;preauth=" + encoded(token) + ending
    }
}
