import CCAres
import CShims
import Glibc

/// The sockets of one c-ares channel, as its loop watches them.
final class DNSSockets {
    private let loop: EventLoop
    private var registrations: [Int32: Registration] = [:]
    private var isClosed = false
    var ready: (Int32, UInt32) -> Void = { _, _ in }

    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Nothing is watched from now on.
    ///
    /// Only for a channel that nobody has any more: then no socket is watched, or its loop has ended.
    func close() {
        isClosed = true
    }

    /// c-ares waits for other events of a socket, or for none as it is about to be closed.
    fileprivate func change(_ descriptor: Int32, to events: UInt32) {
        guard !isClosed else { return }
        if let registration = registrations[descriptor] {
            guard events == 0 else { return loop.modify(registration, events: events) }
            registrations[descriptor] = nil
            loop.unregister(registration)
        } else if events != 0 {
            // Registering fails only for want of memory; the question then ends by its timeout.
            registrations[descriptor] = try? loop.register(descriptor, events: events) { [self] in
                ready(descriptor, $0)
            }
        }
    }

    // MARK: - System calls

    /// c-ares's own would die of SIGPIPE when a name server ends a TCP connection.
    nonisolated(unsafe) static let functions: UnsafePointer<ares_socket_functions> = {
        // Never changed, and alive as long as the process.
        let functions = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)
        functions.initialize(
            to: ares_socket_functions(
                asocket: { family, type, transport, _ in
                    Glibc.socket(family, type | shim_socket_flags(), transport)
                },
                aclose: { descriptor, _ in Glibc.close(descriptor) },
                aconnect: { descriptor, address, length, _ in Glibc.connect(descriptor, address, length) },
                arecvfrom: { descriptor, buffer, count, flags, address, length, _ in
                    Glibc.recvfrom(descriptor, buffer, count, flags, address, length)
                },
                asendv: { descriptor, pieces, count, _ in
                    var message = msghdr()
                    message.msg_iov = UnsafeMutablePointer(mutating: pieces)
                    message.msg_iovlen = Int(count)
                    return Glibc.sendmsg(descriptor, &message, Int32(SHIM_NO_SIGNAL))
                }))
        return UnsafePointer(functions)
    }()
}

/// c-ares says what it waits for on a socket.
func dnsSocketChanged(_ data: UnsafeMutableRawPointer?, _ descriptor: Int32, _ reads: Int32, _ writes: Int32) {
    guard let data else { return }
    let events = (reads != 0 ? Readiness.readable : 0) | (writes != 0 ? Readiness.writable : 0)
    Unmanaged<DNSSockets>.fromOpaque(data).takeUnretainedValue().change(descriptor, to: events)
}
