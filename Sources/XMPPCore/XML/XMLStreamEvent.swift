/// What a stream's bytes mean.
package enum XMLStreamEvent: Sendable, Equatable {
    /// The stream header with its attributes and without children.
    case opened(Element)
    /// A whole first-level element.
    case element(Element)
    /// A first-level element over a limit was skipped (`XMLLimits.discardedBytes`).
    ///
    /// What its start tag says, without children: name, namespace and those attributes that are within the limits, so
    /// that a request can still be answered. Where attributes were left out, one of `from`, `to`, `type` and `id` may
    /// be among them only if it is longer than any address; a missing `from` is then told by an empty one, which is no
    /// address, and not by its absence, which would mean the account itself.
    case discarded(Element)
    /// The closing tag of the stream.
    case closed
    /// The bytes are not what RFC 6120 section 11 allows; nothing comes after this.
    case failed(StreamError)
}
