/// What a stream's bytes mean.
package enum XMLStreamEvent: Sendable, Equatable {
    /// The stream header with its attributes and without children.
    case opened(Element)
    /// A whole first-level element.
    case element(Element)
    /// A first-level element over a limit was skipped (see `XMLLimits.discardedBytes`).
    ///
    /// What its start tag says, without children, so that a request can still be answered. Where the tag itself is over a
    /// limit: its name, and `from`, `to`, `type` and `id` as far as they are no longer than an address can be. A `from`
    /// that is not known is then empty, which is no address, and not absent, which would mean our own account. A name
    /// over the limit is empty, and so is a namespace whose declaration was not read.
    case discarded(Element)
    /// The closing tag of the stream.
    case closed
    /// The bytes are not what RFC 6120 section 11 allows; nothing comes after this.
    case failed(StreamError)
}
