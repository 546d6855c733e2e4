/// The XML namespaces of the protocol.
public enum Namespace {
    /// Stanzas between a client and its server (RFC 6120 section 4.8.2).
    public static let client = "jabber:client"
    /// The stream element, features and stream errors (RFC 6120 section 4.8.1).
    public static let streams = "http://etherx.jabber.org/streams"
    /// Conditions of stream errors (RFC 6120 section 4.9).
    public static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    /// Conditions of stanza errors (RFC 6120 section 8.3).
    public static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    /// STARTTLS (RFC 6120 section 5).
    public static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    /// SASL (RFC 6120 section 6).
    public static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    /// The types of channel binding that a server takes (XEP-0440).
    public static let saslChannelBinding = "urn:xmpp:sasl-cb:0"
    /// SASL2 (XEP-0388).
    public static let sasl2 = "urn:xmpp:sasl:2"
    /// Binding with the login (XEP-0386).
    public static let bind2 = "urn:xmpp:bind:0"
    /// Login by a token (XEP-0484).
    public static let fast = "urn:xmpp:fast:0"
    /// Stream management (XEP-0198).
    public static let streamManagement = "urn:xmpp:sm:3"
    /// Resource binding (RFC 6120 section 7).
    public static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    /// The old session request (RFC 3921 section 3).
    public static let session = "urn:ietf:params:xml:ns:xmpp-session"
    /// The roster (RFC 6121 section 2).
    public static let roster = "jabber:iq:roster"
    /// The stream feature of the roster's versions (RFC 6121 section 2.6).
    public static let rosterVersions = "urn:xmpp:features:rosterver"
    /// The stream feature of pre-approval (RFC 6121 section 3.4).
    public static let preApproval = "urn:xmpp:features:pre-approval"
    /// Since when somebody has touched nothing (XEP-0319).
    public static let idle = "urn:xmpp:idle:1"
    /// Ping (XEP-0199).
    public static let ping = "urn:xmpp:ping"
    /// Blocking (XEP-0191).
    public static let blocking = "urn:xmpp:blocking"
    /// What a stanza to somebody blocked is refused with (XEP-0191 section 3.5).
    public static let blockingErrors = "urn:xmpp:blocking:errors"
    /// Privacy lists, which some servers keep blocks in (XEP-0016).
    public static let privacy = "jabber:iq:privacy"
    /// Reports of spam and abuse (XEP-0377).
    public static let reporting = "urn:xmpp:reporting:1"
    /// The same in its first version.
    public static let reporting0 = "urn:xmpp:reporting:0"
    /// What a gateway to another network is asked (XEP-0100).
    public static let gateway = "jabber:iq:gateway"
    /// A token in a subscription request (XEP-0379).
    public static let preAuthentication = "urn:xmpp:pars:0"
    /// A contact that has another address now (XEP-0283).
    public static let moved = "urn:xmpp:moved:1"
    /// Nodes of items (XEP-0060).
    public static let pubsub = "http://jabber.org/protocol/pubsub"
    /// Contacts that somebody suggests (XEP-0144).
    public static let rosterExchange = "http://jabber.org/protocol/rosterx"
    /// What an entity is and can do (XEP-0030).
    public static let discoInfo = "http://jabber.org/protocol/disco#info"
    /// Nicknames (XEP-0172).
    public static let nick = "http://jabber.org/protocol/nick"
    /// Bound to the prefix `xml` everywhere: `xml:lang`.
    public static let xml = "http://www.w3.org/XML/1998/namespace"
}
