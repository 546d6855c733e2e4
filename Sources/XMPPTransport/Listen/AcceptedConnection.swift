/// Who is at the other end of a Unix socket, as the kernel says (SO_PEERCRED).
package struct PeerCredentials: Sendable, Hashable {
    package let user: UInt32
    package let group: UInt32
    package let process: Int32

    package init(user: UInt32, group: UInt32, process: Int32) {
        self.user = user
        self.group = group
        self.process = process
    }
}

/// A connection that a listener got.
package struct AcceptedConnection: Sendable {
    package let channel: any Channel
    /// On Unix sockets only.
    package let peer: PeerCredentials?
}
