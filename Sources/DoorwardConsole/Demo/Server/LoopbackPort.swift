import Glibc

/// TCP ports of 127.0.0.1.
enum LoopbackPort {
    /// Below the range that the kernel gives to outgoing connections (from 32768), so that none of those takes it first.
    static let candidates: ClosedRange<UInt16> = 15222...15421

    /// The first port from 15222 on that nobody has; after a given one, the next.
    static func free(after last: UInt16 = 0) throws(DemoError) -> UInt16 {
        guard let port = candidates.first(where: { $0 > last && isFree($0) }) else {
            let range = "\(candidates.lowerBound) to \(candidates.upperBound)"
            throw DemoError(.portTaken, "every port of 127.0.0.1 from \(range) is taken; stop what listens there")
        }
        return port
    }

    /// Whether a server could listen there.
    static func isFree(_ port: UInt16) -> Bool {
        // Without the option, a connection of an earlier run in TIME_WAIT would count as taken.
        withSocket { descriptor in
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            return withAddress(port) { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 1) == 0
        }
    }

    /// Whether somebody accepts connections there.
    static func accepts(_ port: UInt16) -> Bool {
        withSocket { descriptor in withAddress(port) { connect(descriptor, $0, $1) } == 0 }
    }

    private static func withSocket(_ body: (Int32) -> Bool) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return body(descriptor)
    }

    private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
