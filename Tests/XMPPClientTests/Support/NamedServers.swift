import XMPPClient
import XMPPCore
import XMPPTestKit
import XMPPTransport

/// What DNS says of the account's domain: targets on this machine, one a priority, in the order in which they are added.
final class NamedServers: Resolving, ConnectionObserver {
    let observed = EventRecorder<ConnectionObservation>()
    private let records = Locked<[(kind: ServiceKind, record: ServiceRecord)]>([])

    func add(_ host: String = "127.0.0.1", port: UInt16, isDirectTLS: Bool = false) {
        records.withLock { records in
            let priority = UInt16(records.count)
            records.append(
                (
                    isDirectTLS ? .directTLS : .startTLS,
                    ServiceRecord(priority: priority, weight: 0, target: host, port: port)
                ))
        }
    }

    func services(
        named name: String, on loop: EventLoop, then: @escaping LookUp<[ServiceRecord]>.Handler
    ) -> any PendingLookUp {
        let lookUp = LookUp(on: loop, then: then)
        let found = records.withLock { $0.filter { $0.kind.name(of: "example.org") == name }.map(\.record) }
        lookUp.finish(.success(found))
        return lookUp
    }

    func addresses(
        of host: String, family: IPFamily, on loop: EventLoop, then: @escaping LookUp<[IPAddress]>.Handler
    ) -> any PendingLookUp {
        let lookUp = LookUp(on: loop, then: then)
        lookUp.finish(.success([]))
        return lookUp
    }

    func observed(_ event: ConnectionObservation, of account: BareJID) { observed.record(event) }

    /// The addresses that were passed over, with what is said of them.
    var passedOver: [ConnectionObservation] { observed.all.filter { $0.kind == .passedOver } }

    /// The codes of what those failed by.
    var codes: [String] { passedOver.map { $0.failure?.code ?? "none" } }

    /// Waits until TCP is up with the account's `number`th address, counted from 1.
    func reached(_ number: Int) async throws {
        for _ in 0..<number {
            _ = try await observed.next { if case .step(.reached) = $0.detail { true } else { false } }
        }
    }
}
