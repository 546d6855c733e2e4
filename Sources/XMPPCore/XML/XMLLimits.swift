/// How much of a stream's XML is taken in.
package struct XMLLimits: Sendable, Equatable {
    /// Levels of elements in a stanza, its own included.
    package var depth: Int
    /// Bytes of a stanza, and of the stream header.
    package var stanzaBytes: Int
    /// Bytes of an `iq` of type `result`, where that is more than `stanzaBytes`.
    package var resultBytes: Int
    /// Attributes of an element.
    package var attributes: Int
    /// Bytes of a name, and of a prefix.
    package var nameBytes: Int
    /// Namespaces that the open elements of a stanza declare.
    package var namespaces: Int
    /// Up to where a stanza over one of the limits is skipped while the stream goes on.
    ///
    /// Over it the stream ends; with 0 it ends at once.
    ///
    /// After the login a stanza can be a stranger's, relayed. Were it to end the stream, a stranger's subscription
    /// request, which the server delivers again at each login, could keep an account offline for ever. Servers take up
    /// to half a MiB from a stranger (ejabberd and Prosody: 256 KiB from a client, 512 KiB from a server), and pass it on
    /// far longer than they got it: each `'` as `&apos;`, and Prosody declares a namespace again at each element and
    /// attribute that is in it. So it is not the bytes that are counted but the least that the sender must have written
    /// (`TagWeight`): text and values without escapes, names, and each namespace once, unless a tag declares more of them
    /// than it uses. Before the first limit is passed the text alone counts. Nothing of a stanza that is skipped is kept,
    /// so that its bytes cost no memory; at 64 times the usual bound, as written, the stream ends in any case.
    package var discardedBytes: Int

    package init(
        depth: Int = 64,
        stanzaBytes: Int = 262_144,
        resultBytes: Int = 0,
        attributes: Int = 64,
        nameBytes: Int = 256,
        namespaces: Int = 128,
        discardedBytes: Int = 0
    ) {
        self.depth = depth
        self.stanzaBytes = stanzaBytes
        self.resultBytes = resultBytes
        self.attributes = attributes
        self.nameBytes = nameBytes
        self.namespaces = namespaces
        self.discardedBytes = discardedBytes
    }

    /// Before the login: only the server itself speaks, and briefly.
    package static let beforeLogin = XMLLimits(stanzaBytes: 10_240)
    /// After the login.
    package static let normal = XMLLimits(discardedBytes: 1_048_576)
    /// As these, while a request of ours is out, whose answer may be more than one stanza may have: a whole roster is one.
    ///
    /// We ask the account's own server only, and what a stranger sends in such a moment has been through the limits of the
    /// servers, half a MiB at most. So only a server that means its own users harm can make a process hold this much, once
    /// for each of them.
    package static let answers = XMLLimits(resultBytes: 16_777_216, discardedBytes: 1_048_576)
}
