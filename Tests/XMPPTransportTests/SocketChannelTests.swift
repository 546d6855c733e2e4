import Foundation
import Testing
import XMPPTestKit
import XMPPTransport

@Suite("A channel over a socket")
struct SocketChannelTests {
    @Test("carries bytes both ways and ends in order")
    func echo() async throws {
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop) { channel, event in
                if case .received(let bytes) = event { channel.send(bytes) }
            }
            try await wire.onLoop { $0.client.send(utf8("hello ")) }
            try await wire.onLoop { $0.client.send(utf8("world")) }
            try await wire.clientEvents.waitForText("hello world")
            try await wire.onLoop { $0.client.close() }
            #expect(try await wire.clientEvents.waitForClosure() == .local)
            #expect(try await wire.serverEvents.waitForClosure() == .endOfStream)
            #expect(wire.clientEvents.story == ["connected", "received", "closed: local"])
            #expect(wire.serverEvents.story == ["connected", "received", "closed: end"])
        }
    }

    @Test("never calls its handler within a call")
    func noReentrance() async throws {
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            let counts = try await loop.run {
                let before = wire.clientEvents.values.count
                wire.client.send(utf8("x"))
                wire.client.abort()
                return [before, wire.clientEvents.values.count]
            }
            #expect(counts == [1, 1])
            #expect(try await wire.clientEvents.waitForClosure() == .local)
        }
    }

    @Test("closes exactly once, whatever is called afterwards")
    func onceOnly() async throws {
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { wire in
                wire.client.abort()
                wire.client.close()
                wire.client.abort()
                wire.client.send(utf8("x"))
                wire.client.setReading(false)
            }
            try await wire.clientEvents.waitForClosure()
            try await wire.onLoop { $0.client.close() }
            await loop.settle()
            #expect(wire.clientEvents.closureCount == 1)
            try await wire.serverEvents.waitForClosure()
            #expect(wire.serverEvents.closureCount == 1)
        }
    }

    @Test("sends all that was queued before it closes")
    func flushesOnClose() async throws {
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
            try await wire.onLoop { wire in
                wire.client.send(bytes)
                wire.client.close()
                wire.client.send(utf8("too late"))
            }
            #expect(try await wire.clientEvents.waitForClosure() == .local)
            #expect(try await wire.serverEvents.waitForClosure() == .endOfStream)
            #expect(wire.serverEvents.bytes == bytes)
        }
    }

    @Test("gives up closing after two seconds when the peer neither reads nor ends")
    func closingDeadline() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { wire in
                wire.server.setReading(false)
                wire.client.send([UInt8](repeating: 1, count: 8_000_000))
                wire.client.close()
            }
            await loop.settle()
            #expect(wire.clientEvents.closure == nil)
            time.advance(by: .seconds(2))
            #expect(try await wire.clientEvents.waitForClosure() == .local)
        }
    }

    @Test("fails when more than 8 MiB wait for a peer that does not read")
    func overflow() async throws {
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { $0.server.setReading(false) }
            var sent = 0
            while wire.clientEvents.closure == nil && sent < 64 << 20 {
                try await wire.onLoop { $0.client.send([UInt8](repeating: 0, count: 1 << 20)) }
                await loop.settle()
                sent += 1 << 20
            }
            #expect(try await wire.clientEvents.waitForError().code == .outputOverflow)
            #expect(wire.clientEvents.closureCount == 1)
        }
    }

    @Test("says when a long output has left")
    func writable() async throws {
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { $0.server.setReading(false) }
            try await wire.onLoop { $0.client.send([UInt8](repeating: 0, count: 8 << 20)) }
            await loop.settle()
            #expect(wire.clientEvents.story == ["connected"])
            let waiting = try await loop.run { wire.client.unsentBytes }
            #expect(waiting > 0)
            try await wire.onLoop { $0.server.setReading(true) }
            try await wire.serverEvents.waitForBytes(8 << 20)
            try await wire.clientEvents.wait(count: 2)
            #expect(wire.clientEvents.story == ["connected", "writable"])
            let rest = try await loop.run { wire.client.unsentBytes }
            #expect(rest == 0)
        }
    }

    @Test("still sends what is queued when the peer has ended its direction")
    func halfClose() async throws {
        try await withLoop { loop in
            try await withFolder { folder in
                let events = Recorder<ChannelEvent>()
                let listener = try Listener.unix(path: folder + "/s", on: loop) { connection in
                    { event in
                        events.record(event)
                        if case .received = event { connection.channel.send([UInt8](repeating: 65, count: 2_000_000)) }
                    }
                }
                defer { listener.close() }
                let received = try await BlockingPool.run {
                    let socket = try RawSocket(path: folder + "/s")
                    socket.write(utf8("go"))
                    socket.endWriting()
                    return socket.readToEnd().count
                }
                #expect(received == 2_000_000)
                #expect(try await events.waitForClosure() == .endOfStream)
            }
        }
    }

    @Test("reports a reset as a lost connection, once")
    func reset() async throws {
        try await withLoop { loop in
            let events = Recorder<ChannelEvent>()
            let listener = try Listener.tcp(on: loop) { _ in { events.record($0) } }
            defer { listener.close() }
            let port = listener.port
            let socket = try await BlockingPool.run { try RawSocket(port: port) }
            try await events.waitForConnected()
            socket.reset()
            #expect(try await events.waitForError().code == .connectionLost)
            #expect(events.closureCount == 1)
        }
    }

    @Test("delivers in order while descriptors are used again at once")
    func reusedDescriptors() async throws {
        try await withLoop { loop in
            let events = Recorder<String>()
            let listener = try Listener.tcp(on: loop) { connection in
                { event in
                    if case .received(let bytes) = event {
                        connection.channel.send(bytes)
                        connection.channel.close()
                    }
                }
            }
            defer { listener.close() }
            let port = listener.port
            for number in 0..<200 {
                let channel = Locked<(any Channel)?>(nil)
                loop.execute {
                    let made = SocketConnector().connect(to: .host("127.0.0.1", port: port), on: loop) { event in
                        switch event {
                        case .connected: channel.withLock { $0 }?.send(utf8("\(number)"))
                        case .received(let bytes):
                            events.record(String(decoding: bytes, as: UTF8.self))
                            if number % 2 == 0 { channel.withLock { $0 }?.abort() }
                        default: break
                        }
                    }
                    channel.withLock { $0 = made }
                }
            }
            let seen = try await events.wait(count: 200)
            #expect(Set(seen) == Set((0..<200).map(String.init)))
        }
    }

    @Test("does not read while told so, and loses nothing")
    func pausedReading() async throws {
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { $0.server.setReading(false) }
            try await wire.onLoop { $0.client.send(utf8("later")) }
            for _ in 0..<20 { await loop.settle() }
            #expect(wire.serverEvents.story == ["connected"])
            try await wire.onLoop { $0.server.setReading(true) }
            try await wire.serverEvents.waitForText("later")
        }
    }

    @Test("may be closed by its own handler at any event")
    func closedByHandler() async throws {
        try await withLoop { loop in
            for closes in [true, false] {
                let wire = try await Wire.make(on: loop) { channel, event in
                    if case .received = event { closes ? channel.close() : channel.abort() }
                }
                try await wire.onLoop { $0.client.send(utf8("x")) }
                #expect(try await wire.serverEvents.waitForClosure() == .local)
                try await wire.clientEvents.waitForClosure()
                #expect(wire.serverEvents.story == ["connected", "received", "closed: local"])
            }
        }
    }
}

/// A blocking socket without a loop, for what a channel does not do.
final class RawSocket: Sendable {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        try #require(result == 0)
    }

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        try #require(result == 0)
    }

    deinit {
        close(descriptor)
    }

    func write(_ bytes: [UInt8]) {
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func endWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return all }
            all += piece.prefix(count)
        }
    }

    /// Ends the connection by RST.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        // Replaced by another descriptor, so that `deinit` closes nobody else's.
        let other = open("/dev/null", O_RDONLY)
        dup2(other, descriptor)
        close(other)
    }
}
