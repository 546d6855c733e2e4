package import XMPPTransport

/// A TCP port of loopback that leads to another one over a bad link: faults meet bytes as they are on the wire, TLS's
/// own among them.
///
/// `withFaults` of a transport breaks what TLS has deciphered, and needs no port; this is for what happens to TLS itself,
/// and for links that fall silent later.
///
/// ```swift
/// let port = try await server.listen(with: try authority.certificate(for: "example.org"))
/// let proxy = try FaultProxy(to: port) { connection in
///     // The first connection ends within the handshake.
///     connection == 1 ? LinkFaults(cut: .init(after: 700, .reset)) : .none
/// }
/// options.server = .init(host: "127.0.0.1", port: proxy.port)
/// // …
/// proxy.stop()
/// ```
public final class FaultProxy: Sendable {
    /// The proxy could not be made.
    public struct Failure: Error, CustomStringConvertible {
        /// What could not be done.
        public let description: String
    }

    /// The port to connect to.
    public let port: UInt16
    private let listener: Listener
    private let isSilent = Locked(false)
    /// The proxy's own; nil where it works on one of others.
    private let ownLoop: EventLoop?

    /// A proxy with a thread of its own.
    ///
    /// - Parameters:
    ///   - target: The server's port on loopback.
    ///   - time: The clock of stalls; nil for the system's.
    ///   - faults: Those of each connection, counted from 1.
    /// - Throws: `Failure` where there is no port or no descriptor left.
    public convenience init(
        to target: UInt16, time: ManualTime? = nil, faults: @escaping @Sendable (_ connection: Int) -> LinkFaults
    ) throws(Failure) {
        do throws(TransportError) {
            let source: any TimeSource = time ?? SystemTime()
            let loop = try EventLoop(name: "fault-proxy", time: source)
            loop.start()
            try self.init(to: target, on: loop, owns: true, faults)
        } catch {
            throw Failure(description: error.description)
        }
    }

    /// - Parameters:
    ///   - target: the server's port on loopback.
    ///   - loop: where the proxy works; not to be stopped before it.
    ///   - faults: those of each connection, counted from 1.
    /// - Throws: where there is no port.
    package convenience init(
        to target: UInt16, on loop: EventLoop, faults: @escaping @Sendable (Int) -> LinkFaults
    ) throws(TransportError) {
        try self.init(to: target, on: loop, owns: false, faults)
    }

    private init(
        to target: UInt16, on loop: EventLoop, owns: Bool, _ faults: @escaping @Sendable (Int) -> LinkFaults
    ) throws(TransportError) {
        let count = Locked(0)
        let isSilent = isSilent
        do throws(TransportError) {
            listener = try Listener.tcp(on: loop) { accepted in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let link = ProxiedLink(accepted, faults(number), on: loop) { isSilent.withLock { $0 } }
                link.connect(to: target)
                return { link.hear($0) }
            }
        } catch {
            if owns { loop.stop() }
            throw error
        }
        port = listener.port
        ownLoop = owns ? loop : nil
    }

    deinit { stop() }

    /// From now on nothing goes either way, and nothing ends: as behind a router that has forgotten its connections.
    public func fallSilent() { isSilent.withLock { $0 = true } }

    /// Takes no more connections.
    public func close() { listener.close() }

    /// Takes no more connections, and ends those that there are, where the proxy has a thread of its own: that is given back.
    public func stop() {
        close()
        ownLoop?.stop()
    }
}
