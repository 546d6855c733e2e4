/// How much of a stream's XML is taken in.
package struct XMLLimits: Sendable, Equatable {
    /// Levels of elements in a stanza, its own included.
    package var depth: Int
    /// Bytes of a stanza, and of the stream header.
    package var stanzaBytes: Int
    /// Attributes of an element.
    package var attributes: Int
    /// Bytes of a name.
    package var nameBytes: Int
    /// Bytes up to which a stanza over one of the limits is dropped while the stream goes on.
    ///
    /// Over it the stream ends; with 0 it ends at once.
    ///
    /// After the login a stanza can be a stranger's, relayed. Were it to end the stream, a stranger's subscription
    /// request, which the server delivers again at each login, could keep an account offline for ever.
    package var discardedBytes: Int

    package init(
        depth: Int = 64,
        stanzaBytes: Int = 262_144,
        attributes: Int = 64,
        nameBytes: Int = 256,
        discardedBytes: Int = 0
    ) {
        self.depth = depth
        self.stanzaBytes = stanzaBytes
        self.attributes = attributes
        self.nameBytes = nameBytes
        self.discardedBytes = discardedBytes
    }

    /// Before the login: only the server itself speaks, and briefly.
    package static let beforeLogin = XMLLimits(stanzaBytes: 10_240)
    /// After the login.
    ///
    /// Servers take up to half a MiB from a stranger, and write it up to six times as long (`&apos;`).
    package static let normal = XMLLimits(discardedBytes: 8_388_608)
    /// After the login and before initial presence: only the server speaks, and a whole roster is one stanza.
    package static let answers = XMLLimits(stanzaBytes: 16_777_216, discardedBytes: 16_777_216)
}
