import XMPPSession
import XMPPTransport

/// Where a connection goes: to the configured address, to where the server of a resumable session prefers to be called
/// (XEP-0198 section 5), or to where a server sends it on (RFC 6120 section 4.9.3.19).
///
/// Wherever that is, the identity that TLS must find stays the account's domain. What a server names never leads into a
/// private network, unless the account's own server is in one: a client must not be sent to its neighbours.
///
/// Sent on while it is online, a client takes the route over to its next connection: so one that is sent on again and
/// again is at the configured address once more behind the third time.
package struct ServerRoute: Sendable {
    /// How often it may be sent on.
    static let bound = 3

    private enum Leg { case configured, location, redirected }

    let configured: ServerAddress
    private(set) var address: ServerAddress
    private var leg = Leg.configured
    private var visited: Set<[UInt8]> = []
    private var mayBePrivate: Bool

    /// - Parameters:
    ///   - configured: Where the account's server is.
    ///   - location: What `<enabled/>` named; tried first.
    init(_ configured: ServerAddress, location: String? = nil) {
        self.configured = configured
        address = configured
        mayBePrivate = false
        if case .host(let host, _, _) = configured {
            mayBePrivate = Self.isPrivate(host)
            visited = [Self.key(configured)]
        }
        guard let location, let named = Redirection(location) else { return }
        let next = ServerAddress(named)
        if isAllowed(next) { (address, leg) = (next, .location) }
    }

    var isAtLocation: Bool { leg == .location }

    /// The present address does not work: back to the configured one; false where it was that one, or a redirection.
    mutating func fallBack() -> Bool {
        guard leg == .location else { return false }
        (address, leg) = (configured, .configured)
        return true
    }

    /// The server sends us on.
    ///
    /// - Returns: Nil where `address` is now that one; else why it is not followed.
    mutating func follow(_ next: ServerAddress) -> String? {
        guard isAllowed(next) else { return "it leads into a private network" }
        guard visited.insert(Self.key(next)).inserted else { return "it leads in a circle" }
        let redirections = visited.count - (visited.contains(Self.key(configured)) ? 1 : 0)
        guard redirections <= Self.bound else { return "it is the \(Self.bound + 1)th in a row" }
        (address, leg) = (next, .redirected)
        return nil
    }

    /// A name of a redirection turned out to be an address in a private network.
    mutating func isForbidden(_ step: ConnectStep) -> Bool {
        let addresses: [String]
        switch step {
        case .resolved(_, let all): addresses = all
        case .trying(let one), .reached(let one, _): addresses = [one]
        case .found, .unresolved, .failed: return false
        }
        guard addresses.contains(where: Self.isPrivate) else { return false }
        guard leg == .configured else { return !mayBePrivate }
        if case .reached = step { mayBePrivate = true }
        return false
    }

    private func isAllowed(_ address: ServerAddress) -> Bool {
        switch address {
        case .host(let name, _, _), .domain(let name), .services(let name, _):
            mayBePrivate || !Self.isPrivate(name)
        }
    }

    /// Names and addresses of this machine or a private network, with or without a port behind.
    static func isPrivate(_ text: String) -> Bool {
        // `Redirection` knows IPv6 addresses in brackets only.
        let host = SocketAddress(text, port: 0) == nil ? Redirection(text)?.host ?? text : text
        if let address = SocketAddress(host, port: 0) { return address.isPrivate }
        let name = host.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost") || name.hasSuffix(".local")
            || name.hasSuffix(".internal")
    }

    private static func key(_ address: ServerAddress) -> [UInt8] {
        switch address {
        case .host(let host, let port, _): Array("\(host.lowercased()):\(port)".utf8)
        // The usual port, so that a host and a name without a port are the same place.
        case .domain(let domain), .services(let domain, _): Array("\(domain.lowercased()):5222".utf8)
        }
    }
}

extension ServerAddress {
    /// Where a server sends us.
    ///
    /// A name without a port is looked up like any other (RFC 6120 section 4.9.3.19): it may have
    /// services, and no address of its own.
    init(_ redirection: Redirection) {
        if redirection.port == nil, SocketAddress(redirection.host, port: 0) == nil {
            self = .domain(redirection.host)
        } else {
            self = .host(redirection.host, port: redirection.port ?? 5222)
        }
    }
}
