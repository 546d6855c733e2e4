import XMPPCore
import XMPPTransport

/// Which clients of one transport lost their links to a server lately: the more they are, the wider they come back (RFC 6120
/// section 3.3).
final class LinkOutages: Sendable {
    /// Losses within that are one outage.
    static let window = Duration.seconds(60)
    /// More are not told apart: they come back as wide as it gets.
    static let most = 50
    /// From so many servers on, those without a loss in the window are forgotten.
    private static let keptServers = 256

    private let latest = Locked<[ServerAddress: [BareJID: Duration]]>([:])

    /// A client's link broke, or none came about.
    ///
    /// - Parameters:
    ///   - account: Whose it is.
    ///   - server: Where it led to.
    ///   - now: By the clock of the transport.
    /// - Returns: How many clients that happened to in the window, this one among them.
    func lost(_ account: BareJID, to server: ServerAddress, at now: Duration) -> Int {
        latest.withLock { latest in
            if latest.count >= Self.keptServers {
                latest = latest.filter { $0.value.values.contains { now - $0 <= Self.window } }
            }
            var clients = (latest[server] ?? [:]).filter { now - $0.value <= Self.window }
            if clients.count < Self.most || clients[account] != nil { clients[account] = now }
            latest[server] = clients
            return clients.count
        }
    }
}
