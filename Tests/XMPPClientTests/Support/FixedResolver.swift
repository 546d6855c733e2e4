import XMPPTestKit
import XMPPTransport

/// Whatever is asked for is at 127.0.0.1; with services, on a host named `y.example.net`.
final class FixedResolver: Resolving {
    let asked = EventRecorder<String>()
    private let port: UInt16
    private let hasServices: Bool

    init(port: UInt16, hasServices: Bool) {
        (self.port, self.hasServices) = (port, hasServices)
    }

    func services(
        named name: String, on loop: EventLoop, then: @escaping LookUp<[ServiceRecord]>.Handler
    ) -> any PendingLookUp {
        let lookUp = LookUp(on: loop, then: then)
        asked.record(name)
        let isStartTLS = name.hasPrefix("_xmpp-client")
        let record = ServiceRecord(priority: 0, weight: 0, target: "y.example.net", port: port)
        lookUp.finish(.success(hasServices && isStartTLS ? [record] : []))
        return lookUp
    }

    func addresses(
        of host: String, family: IPFamily, on loop: EventLoop, then: @escaping LookUp<[IPAddress]>.Handler
    ) -> any PendingLookUp {
        let lookUp = LookUp(on: loop, then: then)
        asked.record(host)
        lookUp.finish(.success(family == .v4 ? [IPAddress("127.0.0.1")].compactMap { $0 } : []))
        return lookUp
    }
}
