import CShims
import Glibc

/// Accepts connections on a Unix socket or a TCP port.
package final class Listener: Sendable {
    /// Gets each connection on the loop and returns who handles its events (first `.connected`); `nil` refuses it.
    package typealias Accept = @Sendable (AcceptedConnection) -> (@Sendable (ChannelEvent) -> Void)?

    /// Connections taken in one turn of the loop.
    private static let connectionsPerTurn = 16
    private static let backlog: Int32 = 1024

    private struct State {
        var descriptor: Int32
        var registration: Registration?
        /// Removes the socket's file.
        var cleanUp: (@Sendable () -> Void)?
    }

    private let loop: EventLoop
    private let accept: Accept
    private let state: Locked<State>
    /// The TCP port; 0 on Unix sockets.
    package let port: UInt16

    private init(
        _ descriptor: Int32,
        port: UInt16,
        loop: EventLoop,
        accept: @escaping Accept,
        cleanUp: (@Sendable () -> Void)? = nil
    ) {
        self.loop = loop
        self.accept = accept
        self.port = port
        state = Locked(State(descriptor: descriptor, registration: nil, cleanUp: cleanUp))
        loop.execute { self.startAccepting() }
    }

    /// Listens on a Unix socket; a stale one is replaced.
    /// - Parameters:
    ///   - path: at most 107 bytes; its folder must be there, ours or root's, and closed to others (0750 or tighter).
    ///   - mode: the socket's permissions; nobody beyond them can connect at any time.
    ///   - loop: where everything happens.
    ///   - accept: gets each connection.
    /// - Returns: the listener; it listens until `close()`.
    /// - Throws: `.socketPathTooLong`, `.unsafeFolder`, `.addressInUse`, `.system`.
    package static func unix(
        path: String,
        mode: UInt32 = 0o660,
        on loop: EventLoop,
        accept: @escaping Accept
    ) throws(TransportError) -> Listener {
        let bound = try UnixSocketFile.bind(path: path, mode: mode, backlog: backlog)
        return Listener(bound.descriptor, port: 0, loop: loop, accept: accept) { bound.file.remove() }
    }

    /// Listens on TCP.
    /// - Parameters:
    ///   - host: an address in digits.
    ///   - port: 0 for any that is free; `port` says which.
    ///   - loop: where everything happens.
    ///   - accept: gets each connection.
    /// - Returns: the listener; it listens until `close()`.
    /// - Throws: `.addressInUse`, `.system`.
    package static func tcp(
        host: String = "127.0.0.1",
        port: UInt16 = 0,
        on loop: EventLoop,
        accept: @escaping Accept
    ) throws(TransportError) -> Listener {
        guard let address = SocketAddress(host, port: port) else {
            throw TransportError(.system, "\(host) is no IP address to listen on")
        }
        let descriptor = shim_socket(address.family)
        guard descriptor >= 0 else { throw TransportError(.system, "socket", errno: errno) }
        do throws(TransportError) {
            var one: Int32 = 1
            // A restart must not wait for old connections to time out.
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            guard address.withSockaddr({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
                throw TransportError(
                    errno == EADDRINUSE ? .addressInUse : .system,
                    "listening on \(address)",
                    errno: errno
                )
            }
            guard Glibc.listen(descriptor, backlog) == 0 else {
                throw TransportError(
                    errno == EADDRINUSE ? .addressInUse : .system,
                    "listening on \(address)",
                    errno: errno
                )
            }
            return Listener(descriptor, port: boundPort(descriptor), loop: loop, accept: accept)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Accepts no more, and removes the socket's file; from any thread.
    ///
    /// Connections that were accepted live on.
    package func close() {
        let cleanUp = state.withLock { state in
            defer { state.cleanUp = nil }
            return state.cleanUp
        }
        cleanUp?()
        if loop.isOnLoop {
            stopAccepting()
        } else {
            loop.execute { self.stopAccepting() }
        }
    }

    deinit {
        // Only when the loop ended first.
        state.withLock { state in
            if state.descriptor >= 0 { Glibc.close(state.descriptor) }
            state.cleanUp?()
        }
    }

    private func startAccepting() {
        let descriptor = state.withLock { $0.descriptor }
        guard descriptor >= 0 else { return }
        // Registering fails only for want of memory; then nobody is accepted, as on a machine without memory.
        let registration = try? loop.register(descriptor, events: Readiness.readable) { [self] _ in acceptSome() }
        state.withLock { $0.registration = registration }
    }

    private func stopAccepting() {
        let (descriptor, registration) = state.withLock { state in
            defer { (state.descriptor, state.registration) = (-1, nil) }
            return (state.descriptor, state.registration)
        }
        registration.map(loop.unregister)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private func acceptSome() {
        for _ in 0..<Self.connectionsPerTurn {
            let listener = state.withLock { $0.descriptor }
            guard listener >= 0 else { return }
            let descriptor = shim_accept(listener)
            guard descriptor >= 0 else {
                switch errno {
                case EAGAIN: return
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause()
                // A connection that broke before it was taken.
                default: continue
                }
            }
            take(descriptor)
        }
    }

    private func take(_ descriptor: Int32) {
        let peer = port == 0 ? Self.credentials(of: descriptor) : nil
        if port == 0 && peer == nil {
            Glibc.close(descriptor)
            return
        }
        if port != 0 { shim_tune_tcp(descriptor, ChannelLimits.userTimeoutMilliseconds) }
        let channel = SocketChannel(on: loop)
        guard let handler = accept(AcceptedConnection(channel: channel, peer: peer)) else {
            channel.abort()
            Glibc.close(descriptor)
            return
        }
        channel.accept(descriptor, handler: handler)
    }

    /// Out of descriptors: the waiting connection would be reported without end.
    private func pause() {
        guard let registration = state.withLock({ $0.registration }) else { return }
        loop.modify(registration, events: 0)
        loop.schedule(after: .milliseconds(200)) { [weak self] in
            guard let self, let registration = state.withLock({ $0.registration }) else { return }
            loop.modify(registration, events: Readiness.readable)
        }
    }

    private static func credentials(of descriptor: Int32) -> PeerCredentials? {
        var (user, group, process) = (uid_t(), gid_t(), pid_t())
        guard shim_peer_credentials(descriptor, &user, &group, &process) == 0 else { return nil }
        return PeerCredentials(user: user, group: group, process: process)
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return 0 }
        // The port stands behind the family in both address families.
        return withUnsafeBytes(of: address) { UInt16($0[2]) << 8 | UInt16($0[3]) }
    }
}
