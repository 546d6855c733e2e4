public import XMPPCore

extension Namespace {
    /// The pictures, and the node that holds them (XEP-0084).
    public static let avatarData = "urn:xmpp:avatar:data"
    /// What pictures there are, and the node that says so (XEP-0084).
    public static let avatarMetadata = "urn:xmpp:avatar:metadata"
    /// What a presence says of the picture in the vCard (XEP-0153).
    public static let vCardUpdate = "vcard-temp:x:update"
    /// A server that keeps the picture of PEP and that of the vCard the same (XEP-0398).
    public static let avatarConversion = "urn:xmpp:pep-vcard-conversion:0"
}

extension Namespace {
    /// What a room says of its occupants (XEP-0045).
    static let roomUser = "http://jabber.org/protocol/muc#user"
}
