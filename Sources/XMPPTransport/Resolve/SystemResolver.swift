/// The resolver of this machine: /etc/hosts, then the name servers of /etc/resolv.conf, by c-ares on the asking loop.
package final class SystemResolver: Resolving {
    private let servers: [SocketAddress]?
    private let hosts: HostsFile
    private let patience: Duration
    /// Each loop's way to the name servers.
    private struct Way {
        let loop: EventLoop
        var channel: DNSChannel?
        /// Who waits while another channel is made; nil where none is.
        var waiting: [@Sendable (Result<DNSChannel, TransportError>) -> Void]?
    }

    private let ways = Locked<[ObjectIdentifier: Way]>([:])

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
        // A service's name belongs to a domain, which is never one of the local network's.
        let searches = if case .services = question { false } else { true }
        withChannel(of: loop) { channel in
            switch channel {
            case .failure(let error):
                lookUp.finish(.failure(error))
            case .success(let channel):
                channel.ask(question, name, searches: searches) { result in
                    lookUp.finish(Self.items(of: result, name, read))
                }
            }
        }
    }

    private static func items<Item>(
        of answer: Result<DNSMessage?, TransportError>, _ name: String,
        _ read: (DNSMessage) throws(DNSMessage.Malformed) -> [Item]
    ) -> Result<[Item], TransportError> {
        switch answer {
        case .failure(let error): return .failure(error)
        case .success(nil): return .success([])
        case .success(let message?):
            do throws(DNSMessage.Malformed) {
                return .success(try read(message))
            } catch {
                return .failure(TransportError(.dnsFailed, "\(name): the name server's answer cannot be read"))
            }
        }
    }

    /// Calls `body` with the loop's channel: at once where there is one, else when it is made.
    private func withChannel(
        of loop: EventLoop, _ body: @escaping @Sendable (Result<DNSChannel, TransportError>) -> Void
    ) {
        let key = ObjectIdentifier(loop)
        if let known = ways.withLock({ $0[key]?.channel }), known.isCurrent { return body(.success(known)) }
        let isFirst = ways.withLock { ways in
            var way = ways[key] ?? Way(loop: loop)
            let isFirst = way.waiting == nil
            way.waiting = (way.waiting ?? []) + [body]
            ways[key] = way
            return isFirst
        }
        guard isFirst else { return }
        DNSChannel.make(on: loop, servers: servers, patience: patience) { [self] made in
            // The old one comes out of the lock, as it may end here, and must not under it.
            let (waiting, old) = ways.withLock { ways in
                let before = ways[key]
                ways[key] = Way(loop: loop, channel: try? made.get())
                return (before?.waiting ?? [], before?.channel)
            }
            withExtendedLifetime(old) {}
            for body in waiting { body(made) }
        }
    }

    /// `localhost` and what ends with it is this machine, whatever a name server says (RFC 6761 6.3).
    private static func loopback(_ host: String) -> [IPAddress]? {
        let name = host.lowercased()
        guard name == "localhost" || name.utf8.reversed().starts(with: ".localhost".utf8.reversed()) else { return nil }
        return [IPAddress("::1"), IPAddress("127.0.0.1")].compactMap { $0 }
    }
}
