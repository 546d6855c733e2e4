import Glibc
import Testing
import XMPPTestKit
import XMPPTransport

/// A port on loopback that nobody ought to call.
final class Bait: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
    }

    func close() { Glibc.close(listener) }

    /// Whether somebody has called; a connection on loopback is there when `connect` has returned.
    var hasBeenCalled: Bool {
        let call = accept(listener, nil, nil)
        if call >= 0 { Glibc.close(call) }
        return call >= 0
    }

    /// Returns when somebody has, and has been sent away.
    func called() async throws {
        let listener = listener
        _ = try await BlockingPool.run {
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            return poll(&waiting, 1, 60_000)
        }
        #expect(hasBeenCalled)
    }
}
