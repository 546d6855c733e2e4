/// The resolver of this machine: /etc/hosts, then the name servers of /etc/resolv.conf, by c-ares on the asking loop.
package final class SystemResolver: Resolving {
    private let servers: [SocketAddress]?
    private let hosts: HostsFile
    private let patience: Duration
    /// Each loop's channel to the name servers.
    private let channels = Locked<[ObjectIdentifier: (loop: EventLoop, channel: DNSChannel)]>([:])

    package convenience init() {
        self.init(servers: nil, hosts: .system)
    }

    /// A resolver that asks these name servers instead of the system's.
    package convenience init(servers: [SocketAddress]) {
        self.init(servers: servers, hosts: .system)
    }

    /// - Parameters:
    ///   - servers: instead of the system's.
    ///   - hosts: what is looked at before.
    ///   - patience: how long one name server is waited for at first; the second time twice as long. With one server a
    ///     look-up fails after three times that, with three after nine times.
    init(servers: [SocketAddress]?, hosts: HostsFile, patience: Duration = .seconds(2)) {
        self.servers = servers
        self.hosts = hosts
        self.patience = patience
    }

    package func services(
        named name: String, on loop: EventLoop, then: @escaping LookUp<[ServiceRecord]>.Handler
    ) -> any PendingLookUp {
        let lookUp = LookUp(on: loop, then: then)
        ask(.services, name, on: loop, lookUp) { message throws(DNSMessage.Malformed) in try message.services() }
        return lookUp
    }

    package func addresses(
        of host: String, family: IPFamily, on loop: EventLoop, then: @escaping LookUp<[IPAddress]>.Handler
    ) -> any PendingLookUp {
        let lookUp = LookUp(on: loop, then: then)
        hosts.find(host, on: loop) { [self] found in
            if let found = found ?? Self.loopback(host) {
                lookUp.finish(.success(found.filter { $0.family == family }))
            } else {
                ask(.addresses(family), host, on: loop, lookUp) { $0.addresses(family) }
            }
        }
        return lookUp
    }

    private func ask<Item>(
        _ question: DNSChannel.Question, _ name: String, on loop: EventLoop, _ lookUp: LookUp<[Item]>,
        read: @escaping @Sendable (DNSMessage) throws(DNSMessage.Malformed) -> [Item]
    ) {
        do throws(TransportError) {
            // A service's name belongs to a domain, which is never one of the local network's.
            let searches = if case .services = question { false } else { true }
            try channel(of: loop).ask(question, name, searches: searches) { result in
                switch result {
                case .failure(let error): lookUp.finish(.failure(error))
                case .success(nil): lookUp.finish(.success([]))
                case .success(let message?):
                    do throws(DNSMessage.Malformed) {
                        lookUp.finish(.success(try read(message)))
                    } catch {
                        let text = "\(name): the name server's answer cannot be read"
                        lookUp.finish(.failure(TransportError(.dnsFailed, text)))
                    }
                }
            }
        } catch {
            lookUp.finish(.failure(error))
        }
    }

    private func channel(of loop: EventLoop) throws(TransportError) -> DNSChannel {
        let key = ObjectIdentifier(loop)
        if let known = channels.withLock({ $0[key] })?.channel, known.isCurrent { return known }
        let made = try DNSChannel(on: loop, servers: servers, patience: patience)
        // Returned from the lock, as the old one may end here, and must not under it.
        let old = channels.withLock { $0.updateValue((loop, made), forKey: key) }
        withExtendedLifetime(old) {}
        return made
    }

    /// `localhost` and what ends with it is this machine, whatever a name server says (RFC 6761 6.3).
    private static func loopback(_ host: String) -> [IPAddress]? {
        let name = host.lowercased()
        guard name == "localhost" || name.utf8.reversed().starts(with: ".localhost".utf8.reversed()) else { return nil }
        return [IPAddress("::1"), IPAddress("127.0.0.1")].compactMap { $0 }
    }
}
