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

    /// Ends it by a reset, as a broken network does: unsent output is lost, and the peer sees an error.
    ///
    /// For tests. On the loop.
    package func reset() {
        (channel as? SocketChannel)?.resetWhenClosed()
        channel.abort()
    }
}
