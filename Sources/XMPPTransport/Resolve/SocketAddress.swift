import Glibc

/// An address of a socket as the system has it, and as text for people.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// A `sockaddr_in`, `sockaddr_in6` or `sockaddr_un`.
    let bytes: [UInt8]
    let family: Int32
    package let description: String

    init(bytes: [UInt8], family: Int32, description: String) {
        self.bytes = bytes
        self.family = family
        self.description = description
    }

    package init(_ address: IPAddress, port: UInt16) {
        switch address.family {
        case .v4:
            var socket = sockaddr_in()
            socket.sin_family = sa_family_t(AF_INET)
            socket.sin_port = port.bigEndian
            Swift.withUnsafeMutableBytes(of: &socket.sin_addr) { $0.copyBytes(from: address.bytes) }
            let bytes = Swift.withUnsafeBytes(of: socket) { Array($0) }
            self.init(bytes: bytes, family: AF_INET, description: "\(address):\(port)")
        case .v6:
            var socket = sockaddr_in6()
            socket.sin6_family = sa_family_t(AF_INET6)
            socket.sin6_port = port.bigEndian
            Swift.withUnsafeMutableBytes(of: &socket.sin6_addr) { $0.copyBytes(from: address.bytes) }
            let bytes = Swift.withUnsafeBytes(of: socket) { Array($0) }
            self.init(bytes: bytes, family: AF_INET6, description: "[\(address)]:\(port)")
        }
    }

    /// An IPv4 or IPv6 address in digits; `nil` for anything else.
    package init?(_ host: String, port: UInt16) {
        guard let address = IPAddress(host) else { return nil }
        self.init(address, port: port)
    }

    /// - Throws: `.socketPathTooLong`.
    package init(unixPath path: String) throws(TransportError) {
        var address = sockaddr_un()
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        let text = Array(path.utf8)
        guard text.count < capacity else {
            throw TransportError(
                .socketPathTooLong,
                "\(path) has \(text.count) bytes; a Unix socket's path may have \(capacity - 1): choose a shorter one"
            )
        }
        guard !text.isEmpty, !text.contains(0) else {
            throw TransportError(.system, "no path for a Unix socket")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        Swift.withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text) }
        self.init(bytes: Swift.withUnsafeBytes(of: address) { Array($0) }, family: AF_UNIX, description: path)
    }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // A copy in aligned storage of the size that every address fits in.
        var storage = sockaddr_storage()
        let count = min(bytes.count, MemoryLayout<sockaddr_storage>.size)
        Swift.withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix(count)) }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(count)) }
        }
    }
}
