/// What a stream's bytes mean.
package enum XMLStreamEvent: Sendable, Equatable {
    /// The stream header with its attributes and without children.
    case opened(Element)
    /// A whole first-level element.
    case element(Element)
    /// The closing tag of the stream.
    case closed
    /// The bytes are not what RFC 6120 section 11 allows; nothing comes after this.
    case failed(StreamError)
}
