package import XMPPTransport

/// How a client reaches its server: by the network, or within the process, where a test says so.
public struct ClientTransport: Sendable {
    package let connector: any Connector
    /// The clock of everything that waits; nil for the system's.
    package let time: (any TimeSource)?

    /// Over TCP, as DNS says.
    public static let network = ClientTransport(connector: SocketConnector())

    package init(connector: any Connector, time: (any TimeSource)? = nil) {
        self.connector = connector
        self.time = time
    }
}
