import Dispatch
import Foundation
import Testing
import XMPPTransport

/// A name server on loopback, by UDP and TCP on the same port, that answers as its script says.
final class NameServer: Sendable {
    struct Question: Hashable, CustomStringConvertible {
        var name: String
        var type: UInt16
        var isTCP: Bool

        var description: String { "\(isTCP ? "TCP" : "UDP") \(type) \(name)" }
    }

    /// One reply for each element, of the question's id where the bytes begin with 0 and 1.
    typealias Script = @Sendable (Question) -> [[UInt8]]

    let port: UInt16
    let asked = Recorder<Question>()
    private let datagrams: Int32
    private let listener: Int32
    private let stop: (read: Int32, write: Int32)
    private let ended = DispatchSemaphore(value: 0)
    private let script: Locked<Script>

    init(_ script: @escaping Script) throws {
        var pair: (Int32, Int32, UInt16)?
        // The UDP port may be taken for TCP.
        for _ in 0..<50 where pair == nil { pair = Self.sockets() }
        (datagrams, listener, port) = try #require(pair)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        stop = (ends[0], ends[1])
        self.script = Locked(script)
        Thread { self.run() }.start()
    }

    var address: SocketAddress {
        get throws { try #require(SocketAddress("127.0.0.1", port: port)) }
    }

    func change(_ script: @escaping Script) {
        self.script.withLock { $0 = script }
    }

    /// Ends the thread; nobody answers on the port any more.
    func close() {
        Foundation.close(stop.write)
        ended.wait()
    }

    private static func sockets() -> (Int32, Int32, UInt16)? {
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(datagrams, address, size) == 0 && getsockname(datagrams, address, &size) == 0
                    && bind(listener, address, size) == 0 && listen(listener, 16) == 0
            }
        }
        guard isBound else {
            Foundation.close(datagrams)
            Foundation.close(listener)
            return nil
        }
        return (datagrams, listener, UInt16(bigEndian: address.sin_port))
    }

    private func run() {
        var waiting = [stop.read, datagrams, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waiting, nfds_t(waiting.count), -1) >= 0 {
            if waiting[0].revents != 0 { break }
            if waiting[1].revents != 0 { answerDatagram() }
            if waiting[2].revents != 0 { answerConnection() }
        }
        for descriptor in [datagrams, listener, stop.read] { Foundation.close(descriptor) }
        ended.signal()
    }

    private func answerDatagram() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var peer = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                let count = recvfrom(datagrams, &buffer, buffer.count, 0, peer, &size)
                guard count > 0 else { return }
                for reply in replies(Array(buffer.prefix(count)), isTCP: false) {
                    sendto(datagrams, reply, reply.count, 0, peer, size)
                }
            }
        }
    }

    private func answerConnection() {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        defer { Foundation.close(connection) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var question: [UInt8] = []
        while question.count < 2 || question.count < 2 + Int(question[0]) << 8 + Int(question[1]) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            question += buffer.prefix(count)
        }
        for reply in replies(Array(question.dropFirst(2)), isTCP: true) {
            let bytes = DNSAnswer.number(UInt16(reply.count)) + reply
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    let rest = UnsafeRawBufferPointer(rebasing: $0[sent...])
                    return send(connection, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }
        // Until the other side ends: what was sent must not be cut off.
        shutdown(connection, Int32(SHUT_WR))
        while recv(connection, &buffer, buffer.count, 0) > 0 {}
    }

    private func replies(_ bytes: [UInt8], isTCP: Bool) -> [[UInt8]] {
        var labels: [String] = []
        var index = 12
        while index < bytes.count, bytes[index] != 0 {
            let end = index + 1 + Int(bytes[index])
            guard end < bytes.count else { return [] }
            labels.append(String(decoding: bytes[(index + 1)..<end], as: UTF8.self).lowercased())
            index = end
        }
        guard index + 4 < bytes.count else { return [] }
        let question = Question(
            name: labels.joined(separator: "."), type: UInt16(bytes[index + 1]) << 8 | UInt16(bytes[index + 2]),
            isTCP: isTCP)
        asked.record(question)
        let script = script.withLock { $0 }
        return script(question).map { reply in
            reply.starts(with: [0, 1]) ? Array(bytes.prefix(2) + reply.dropFirst(2)) : reply
        }
    }
}

extension NameServer.Question {
    func answer(_ records: [[UInt8]] = [], code: DNSAnswer.Code = .noError) -> [UInt8] {
        DNSAnswer(name, type, code: code, records: records).bytes
    }
}
