package import XMPPCore

/// An account's contacts as they were when it was last online.
package struct KeptRoster: Hashable, Sendable {
    package var contacts: [ContactRow]
    /// The version of the last push among them, as the server wrote it; nil where the server has none.
    package var version: String?
    /// Until when it is known to have been so.
    package var asOf: Timestamp

    package init(contacts: [ContactRow], version: String?, asOf: Timestamp) {
        self.contacts = contacts
        self.version = version
        self.asOf = asOf
    }
}

/// A time in which an account was online.
package struct OnlineTime: Hashable, Sendable {
    package var since: Timestamp
    /// The last moment at which it is known to have been; a process that is killed may have been so for a minute more.
    package var until: Timestamp

    package init(since: Timestamp, until: Timestamp) {
        self.since = since
        self.until = until
    }
}
