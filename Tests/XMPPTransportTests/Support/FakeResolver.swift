@testable import XMPPTransport

/// Answers from a table, and notes what it was asked.
final class FakeResolver: Resolving {
    struct Table {
        var services: [String: Result<[ServiceRecord], TransportError>] = [:]
        var hosts: [String: Result<[IPAddress], TransportError>] = [:]
        /// Names whose answers are held until `release`.
        var isHeld: @Sendable (String) -> Bool = { _ in false }
    }

    let asked = Recorder<String>()
    private let table: Locked<Table>
    private let held = Locked<[(name: String, answer: @Sendable () -> Void)]>([])

    init(_ table: Table = Table()) {
        self.table = Locked(table)
    }

    convenience init(
        services: [String: [ServiceRecord]] = [:], hosts: [String: [String]] = [:],
        isHeld: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.init(
            Table(
                services: services.mapValues { .success($0) },
                hosts: hosts.mapValues { .success($0.compactMap { IPAddress($0) }) }, isHeld: isHeld))
    }

    func change(_ body: @Sendable (inout Table) -> Void) {
        table.withLock { body(&$0) }
    }

    func services(
        named name: String, on loop: EventLoop, then: @escaping LookUp<[ServiceRecord]>.Handler
    ) -> any PendingLookUp {
        asked.record(name)
        let lookUp = LookUp(on: loop, then: then)
        answer(name) { lookUp.finish($0.services[name] ?? .success([])) }
        return lookUp
    }

    func addresses(
        of host: String, family: IPFamily, on loop: EventLoop, then: @escaping LookUp<[IPAddress]>.Handler
    ) -> any PendingLookUp {
        let name = "\(host) \(family)"
        asked.record(name)
        let lookUp = LookUp(on: loop, then: then)
        answer(name) { table in
            let answer = table.hosts[host] ?? .success([])
            lookUp.finish(answer.map { $0.filter { $0.family == family } })
        }
        return lookUp
    }

    /// Gives the held answers of a name, or of all; on the loop.
    func release(_ name: String? = nil) {
        let ready = held.withLock { held in
            let ready = held.filter { name == nil || $0.name == name }
            held.removeAll { name == nil || $0.name == name }
            return ready
        }
        for item in ready { item.answer() }
    }

    private func answer(_ name: String, _ body: @escaping @Sendable (Table) -> Void) {
        let table = table
        let isHeld = table.withLock { $0.isHeld }
        if isHeld(name) {
            held.withLock { $0.append((name, { body(table.withLock { $0 }) })) }
        } else {
            body(table.withLock { $0 })
        }
    }
}

/// The names that are asked for example.org.
let service = "_xmpp-client._tcp.example.org"
let directService = "_xmpps-client._tcp.example.org"

extension FakeResolver {
    /// A connection by what it says, whose choice among equals is always the same.
    func connect(
        to address: ServerAddress, security: TLSSettings? = nil, on loop: EventLoop,
        then use: @escaping @Sendable (any Channel) -> Void = { _ in }
    ) async throws -> (channel: any Channel, events: Recorder<ChannelEvent>) {
        let events = Recorder<ChannelEvent>()
        let channel = try await loop.run {
            let channel = SocketConnector(resolver: self) { Constant(value: 1) }
                .connect(to: address, security: security, on: loop) { events.record($0) }
            use(channel)
            return channel
        }
        return (channel, events)
    }
}

func record(_ priority: UInt16, _ weight: UInt16, _ target: String, _ port: UInt16 = 5222) -> ServiceRecord {
    ServiceRecord(priority: priority, weight: weight, target: target, port: port)
}
