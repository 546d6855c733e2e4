public import XMPPCore

/// What a `ScriptedServer` saw happen to its connections.
public enum ServerEvent: Hashable, Sendable {
    /// Somebody connected; the server counts its connections from 1.
    case connected(Int)
    /// A login was refused.
    case refused(BareJID)
    /// A login went well, by that mechanism.
    case authenticated(BareJID, mechanism: String, connection: Int)
    /// A session of before goes on (XEP-0198).
    case resumed(BareJID, connection: Int)
    /// A resource was bound.
    case bound(BareJID, connection: Int)
    /// Initial presence came: the account is available, and what waits for it is delivered.
    case available(BareJID, connection: Int)
    /// The client sent its closing tag.
    case streamClosed(Int)
    /// The connection is gone.
    case disconnected(Int)
}

/// A first-level element that a client sent.
public struct ReceivedElement: Hashable, Sendable {
    /// Whose session it is; nil before the login.
    public var account: BareJID?
    /// The connection's number.
    public var connection: Int
    /// Whether TLS was on.
    public var isSecured: Bool
    /// The element.
    public var element: Element

    /// Whether it is a presence of that type to that address.
    ///
    /// Nil stands for an attribute that is not there.
    public func isPresence(_ type: String?, to recipient: String?) -> Bool {
        element.matches("presence", Namespace.client) && element[attribute: "type"] == type
            && element[attribute: "to"] == recipient
    }

    /// Whether it is an iq of that type whose payload is that element.
    public func isIQ(_ type: String, _ name: String? = nil, _ namespace: String? = nil) -> Bool {
        guard element.matches("iq", Namespace.client), element[attribute: "type"] == type else { return false }
        guard let name, let namespace else { return true }
        return element.first(name, namespace) != nil
    }

    /// Whether it is the reply to the iq of that id.
    public func isReply(to id: String) -> Bool {
        element.matches("iq", Namespace.client) && element[attribute: "id"] == id
            && ["result", "error"].contains(element[attribute: "type"] ?? "")
    }
}
