package import XMPPTransport

/// A TCP port of loopback that leads to another one over a bad link: faults meet bytes as they are on the wire, TLS's
/// own among them.
package final class FaultProxy: Sendable {
    /// The port to connect to.
    package let port: UInt16
    private let listener: Listener
    private let isSilent = Locked(false)

    /// - Parameters:
    ///   - target: the server's port on loopback.
    ///   - loop: where the proxy works; not to be stopped before it.
    ///   - faults: those of each connection, counted from 1.
    /// - Throws: where there is no port.
    package init(
        to target: UInt16, on loop: EventLoop, faults: @escaping @Sendable (Int) -> LinkFaults
    ) throws(TransportError) {
        let count = Locked(0)
        let isSilent = isSilent
        listener = try Listener.tcp(on: loop) { accepted in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let link = ProxiedLink(accepted, faults(number), on: loop) { isSilent.withLock { $0 } }
            link.connect(to: target)
            return { link.hear($0) }
        }
        port = listener.port
    }

    /// From now on nothing goes either way, and nothing ends: as behind a router that has forgotten its connections.
    package func fallSilent() { isSilent.withLock { $0 = true } }

    /// Takes no more connections.
    package func close() { listener.close() }
}

/// One connection through a `FaultProxy`.
private final class ProxiedLink: @unchecked Sendable {
    // Unchecked because every variable is touched on the loop only.

    private let loop: EventLoop
    private let faults: LinkFaults
    private let client: AcceptedConnection
    private let isSilent: () -> Bool
    private var server: (any Channel)?
    /// What is still to be said to the client.
    private var waiting: [[UInt8]] = []
    private var isSaying = false
    private var hasServerEnded = false
    private var isOver = false
    private var fromServer = 0
    private var fromClient = 0

    init(
        _ client: AcceptedConnection, _ faults: LinkFaults, on loop: EventLoop, isSilent: @escaping () -> Bool
    ) {
        self.client = client
        self.isSilent = isSilent
        self.faults = faults
        self.loop = loop
    }

    func connect(to port: UInt16) {
        server = SocketConnector().connect(to: .host("127.0.0.1", port: port), security: nil, on: loop) { [self] in
            hearServer($0)
        }
    }

    /// An event of the client's side.
    func hear(_ event: ChannelEvent) {
        switch event {
        case .received(let bytes):
            guard !isOver, !isSilent() else { return }
            let rest = bytes.prefix(max(0, (faults.outgoingCut?.bytes ?? .max) - fromClient))
            fromClient += rest.count
            server?.send(Array(rest))
            if let cut = faults.outgoingCut, fromClient >= cut.bytes { end(cut.ending) }
        case .closed: close()
        case .attempted, .connected, .secured, .writable: break
        }
    }

    private func hearServer(_ event: ChannelEvent) {
        switch event {
        case .connected: if let cut = faults.cut, cut.bytes <= 0 { end(cut.ending) }
        case .received(let bytes): relay(bytes)
        case .closed:
            guard !isSilent() else { return }
            hasServerEnded = true
            sayNext()
        case .attempted, .secured, .writable: break
        }
    }

    private func relay(_ bytes: [UInt8]) {
        guard !isOver, !isSilent() else { return }
        var rest = bytes.prefix(max(0, (faults.cut?.bytes ?? .max) - fromServer))
        fromServer += rest.count
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, faults.pieceSize ?? rest.count))
            rest = rest.dropFirst(piece.count)
            waiting.append(Array(piece))
        }
        sayNext()
    }

    /// A piece each turn: so each leaves in a packet of its own.
    private func sayNext() {
        guard !isSaying, !isOver else { return }
        guard !waiting.isEmpty else {
            if let cut = faults.cut, fromServer >= cut.bytes { return end(cut.ending) }
            if hasServerEnded { client.channel.close() }
            return
        }
        isSaying = true
        client.channel.send(waiting.removeFirst())
        loop.execute { [self] in
            isSaying = false
            sayNext()
        }
    }

    private func end(_ ending: RecordedServer.Cut.Ending) {
        guard !isOver else { return }
        isOver = true
        switch ending {
        case .silence: return
        case .endOfStream: client.channel.close()
        case .reset: client.reset()
        }
        server?.abort()
        server = nil
    }

    private func close() {
        isOver = true
        server?.abort()
        server = nil
    }
}
