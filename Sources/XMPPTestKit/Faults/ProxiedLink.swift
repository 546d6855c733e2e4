import XMPPTransport

/// One connection through a `FaultProxy`.
final class ProxiedLink: @unchecked Sendable {
    // Unchecked because every variable is touched on the loop only.

    private let loop: EventLoop
    private let faults: LinkFaults
    private let client: AcceptedConnection
    private let isSilent: () -> Bool
    private var server: (any Channel)?
    /// What is still to be said to the client.
    private var waiting: [LinkFaults.Portion] = []
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
        let rest = bytes.prefix(max(0, (faults.cut?.bytes ?? .max) - fromServer))
        waiting += faults.portions(of: rest, from: fromServer)
        fromServer += rest.count
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
        let goOn: @Sendable () -> Void = { [self] in
            isSaying = false
            sayNext()
        }
        switch waiting.removeFirst() {
        case .bytes(let piece):
            client.channel.send(piece)
            loop.execute(goOn)
        case .stall(let duration):
            loop.schedule(after: duration, goOn)
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
