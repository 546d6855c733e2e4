/// The namespaces of what clients offer each other.
extension Namespace {
    /// What an entity has (XEP-0030).
    public static let discoItems = "http://jabber.org/protocol/disco#items"
    /// Capabilities in presence (XEP-0115).
    public static let caps = "http://jabber.org/protocol/caps"
    /// Capabilities in presence, the second protocol (XEP-0390).
    public static let caps2 = "urn:xmpp:caps"
    /// Hashes (XEP-0300).
    public static let hashes = "urn:xmpp:hashes:2"
    /// Forms (XEP-0004).
    public static let dataForms = "jabber:x:data"
    /// Commands (XEP-0050).
    public static let commands = "http://jabber.org/protocol/commands"
    /// Rooms: entering one (XEP-0045).
    public static let muc = "http://jabber.org/protocol/muc"
    /// Rooms: what a room says to its occupants (XEP-0045).
    public static let mucUser = "http://jabber.org/protocol/muc#user"
    /// Receipts (XEP-0184).
    public static let receipts = "urn:xmpp:receipts"
    /// Replies (XEP-0461).
    public static let reply = "urn:xmpp:reply:0"
    /// What of a body is there for those only who do not know an extension (XEP-0428).
    public static let fallback = "urn:xmpp:fallback:0"
    /// Ids that nobody forges (XEP-0359).
    public static let stanzaIDs = "urn:xmpp:sid:0"
    /// What becomes of a message (XEP-0334).
    public static let hints = "urn:xmpp:hints"
    /// The time (XEP-0202).
    public static let time = "urn:xmpp:time"
    /// The software (XEP-0092).
    public static let version = "jabber:iq:version"
    /// The last activity (XEP-0012).
    public static let lastActivity = "jabber:iq:last"
}
