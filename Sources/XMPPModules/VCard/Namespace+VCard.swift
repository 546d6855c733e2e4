public import XMPPCore

extension Namespace {
    /// vCards as most servers keep them (XEP-0054).
    public static let vCard = "vcard-temp"
    /// vCards of RFC 6351 (XEP-0292).
    public static let vCard4 = "urn:ietf:params:xml:ns:vcard-4.0"
    /// The node of an account's vCard (XEP-0292 section 3).
    public static let vCard4Node = "urn:xmpp:vcard4"
}
