import CShims
import Glibc

/// The system's resolver.
package struct SystemResolver: Resolving {
    /// More records than this are not looked at.
    private static let recordLimit = 64

    package init() {}

    package func services(of domain: String) -> ServiceAnswer {
        var answer = [UInt8](repeating: 0, count: 65_535)
        var length = 0
        let result = shim_query_srv("_xmpp-client._tcp.\(domain)", &answer, answer.count, &length)
        guard result == Int32(SHIM_SRV_FOUND.rawValue) else { return .none }
        return Self.services(inAnswer: Array(answer.prefix(length)))
    }

    /// Reads a name server's answer; one that cannot be read is as good as none.
    static func services(inAnswer answer: [UInt8]) -> ServiceAnswer {
        var records = [shim_srv](repeating: shim_srv(), count: recordLimit)
        var count = 0
        let result = shim_parse_srv(answer, answer.count, &records, records.count, &count)
        guard result == Int32(SHIM_SRV_FOUND.rawValue), count > 0 else { return .none }
        return .records(records.prefix(count).map(ServiceRecord.init))
    }

    package func addresses(of host: String, port: UInt16) throws(TransportError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &first)
        guard result == 0 else {
            let reason = result == EAI_SYSTEM ? systemText(errno) : String(cString: gai_strerror(result))
            throw TransportError(.dnsFailed, "\(host): \(reason)")
        }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let info = next?.pointee {
            next = info.ai_next
            guard let address = info.ai_addr, info.ai_family == AF_INET || info.ai_family == AF_INET6 else { continue }
            let bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
            let candidate = SocketAddress(bytes: bytes, family: info.ai_family, description: Self.text(info))
            if !addresses.contains(candidate) { addresses.append(candidate) }
        }
        guard !addresses.isEmpty else { throw TransportError(.dnsFailed, "\(host) has no address") }
        return addresses
    }

    private static func text(_ info: addrinfo) -> String {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = [CChar](repeating: 0, count: 32)
        let result = getnameinfo(
            info.ai_addr,
            info.ai_addrlen,
            &host,
            socklen_t(host.count),
            &service,
            socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV
        )
        guard result == 0 else { return "an address" }
        let (name, port) = (cText(host), cText(service))
        return info.ai_family == AF_INET6 ? "[\(name)]:\(port)" : "\(name):\(port)"
    }
}

extension ServiceRecord {
    init(_ record: shim_srv) {
        self.init(
            priority: record.priority,
            weight: record.weight,
            target: withUnsafeBytes(of: record.target) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) },
            port: record.port
        )
    }
}
