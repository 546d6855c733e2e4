/// What `<enabled/>` says (XEP-0198 section 3).
package struct StreamManagementStart: Sendable, Hashable {
    /// The id to resume by; nil where the stream cannot be resumed.
    package var id: String?
    /// Where the server prefers to be called for a resumption.
    package var location: String?
    /// How long the server keeps the session, in seconds, where it says so.
    package var maximum: Int?

    package init(id: String? = nil, location: String? = nil, maximum: Int? = nil) {
        self.id = id
        self.location = location
        self.maximum = maximum
    }
}

/// A session to be taken up again (XEP-0198 section 5).
package struct ResumptionRequest: Sendable, Hashable {
    package var id: String
    /// Stanzas of the server that we have handled, modulo 2^32.
    package var inbound: UInt32

    package init(id: String, inbound: UInt32) {
        self.id = id
        self.inbound = inbound
    }
}

/// What `<failed/>` says in answer to `<resume/>`.
package struct FailedResumption: Sendable, Hashable {
    /// Stanzas of ours that the server has handled, where it says so.
    package var handled: UInt32?

    package init(handled: UInt32? = nil) {
        self.handled = handled
    }
}
