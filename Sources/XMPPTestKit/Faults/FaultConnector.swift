public import XMPPClient
package import XMPPTransport

/// Puts faults into the connections of any other connector, on what the client's TLS has deciphered.
///
/// `FaultProxy` does the same to bytes as they are on the wire.
package struct FaultConnector: Connector {
    private let inner: any Connector
    private let faults: @Sendable (Int) -> LinkFaults
    private let count = Locked(0)

    /// - Parameters:
    ///   - inner: what connects.
    ///   - faults: those of each connection, counted from 1.
    package init(_ inner: any Connector, faults: @escaping @Sendable (Int) -> LinkFaults) {
        self.inner = inner
        self.faults = faults
    }

    package func connect(
        to address: ServerAddress,
        security: TLSSettings?,
        on loop: EventLoop,
        handler: @escaping @Sendable (ChannelEvent) -> Void
    ) -> any Channel {
        let (count, faults) = (count, faults)
        let next: @Sendable () -> LinkFaults = {
            faults(
                count.withLock { count in
                    count += 1
                    return count
                })
        }
        let channel = FaultChannel(on: loop, next, handler: handler)
        channel.wrap(inner.connect(to: address, security: security, on: loop) { channel.take($0) })
        return channel
    }
}

extension ClientTransport {
    /// The same way to the server over a bad link.
    ///
    /// - Parameter faults: What the link does to each connection, counted from 1.
    /// - Returns: What a client's options take.
    public func withFaults(_ faults: @escaping @Sendable (_ connection: Int) -> LinkFaults) -> ClientTransport {
        by(FaultConnector(connector, faults: faults))
    }
}
