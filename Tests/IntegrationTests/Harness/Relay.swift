import Foundation
import Glibc
import XMPPTransport

/// Passes connections on to a server, writes down what the client sent, and can cut them.
final class Relay: Sendable {
    let port: UInt16
    private let listener: Int32
    private let target: UInt16
    private struct State {
        var sent: [UInt8] = []
        var open: Set<Int32> = []
        var isClosed = false
        var refuses = false
    }
    private let state = Locked(State())

    init(to target: UInt16) throws {
        self.target = target
        (listener, port) = try Sockets.listen()
        Thread.detachNewThread { self.accept() }
    }

    /// What the client sent, as far as it is text.
    var sent: String { String(decoding: state.withLock { $0.sent }, as: UTF8.self) }

    /// Cuts every connection that there is.
    func cut() {
        state.withLock { for fd in $0.open { shutdown(fd, Int32(SHUT_RDWR)) } }
    }

    /// From now on, or no longer, every new connection is closed at once.
    func refuse(_ refuses: Bool) {
        state.withLock { $0.refuses = refuses }
        if refuses { cut() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0, !state.withLock({ $0.isClosed }) else { break }
            guard !state.withLock({ $0.refuses }), let server = try? Sockets.connect(port: target) else {
                Glibc.close(client)
                continue
            }
            state.withLock { $0.open.formUnion([client, server]) }
            let ends = Ends()
            Thread.detachNewThread { self.pass(from: client, to: server, ends, isClient: true) }
            Thread.detachNewThread { self.pass(from: server, to: client, ends, isClient: false) }
        }
        Glibc.close(listener)
    }

    /// The second direction to end closes both descriptors.
    private final class Ends: Sendable {
        let count = Locked(0)
    }

    private func pass(from: Int32, to: Int32, _ ends: Ends, isClient: Bool) {
        while case let bytes = Sockets.receive(from: from), !bytes.isEmpty {
            if isClient { state.withLock { $0.sent += bytes } }
            guard (try? Sockets.send(bytes, to: to)) != nil else { break }
        }
        shutdown(to, Int32(SHUT_WR))
        let ended = ends.count.withLock { count in
            count += 1
            return count
        }
        guard ended == 2 else { return }
        state.withLock { $0.open.subtract([from, to]) }
        Glibc.close(from)
        Glibc.close(to)
    }
}
