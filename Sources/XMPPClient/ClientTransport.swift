import XMPPCrypto
package import XMPPTransport

/// How a client reaches its server: by the network, or within the process, where a test says so.
public struct ClientTransport: Sendable {
    /// Makes so many bytes.
    package typealias Chance = @Sendable (Int) -> [UInt8]

    package let connector: any Connector
    /// The clock of everything that waits; nil for the system's.
    package let time: (any TimeSource)?
    /// The chance of each client that begins, by which its nonces, ids and pauses are drawn: bytes that nobody can guess.
    ///
    /// Only tests put another in its place.
    package let makeChance: @Sendable () -> Chance
    /// Who lost a link by it lately.
    let outages = LinkOutages()

    /// Over TCP, as DNS says.
    public static let network = ClientTransport(connector: SocketConnector())

    package init(
        connector: any Connector, time: (any TimeSource)? = nil,
        chance makeChance: @escaping @Sendable () -> Chance = { { randomBytes($0) } }
    ) {
        self.connector = connector
        self.time = time
        self.makeChance = makeChance
    }

    /// The same by another connector.
    package func by(_ connector: any Connector) -> ClientTransport {
        ClientTransport(connector: connector, time: time, chance: makeChance)
    }
}
