import Foundation
import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("The resolver", .serialized)
struct SystemResolverTests {
    private static let service = "_xmpp-client._tcp.example.org"

    // MARK: - What is found

    @Test("finds services and addresses of both families")
    func finding() async throws {
        try await withResolver { question in
            switch question.type {
            case DNSAnswer.srv: [question.answer([DNSAnswer.service(1, 2, 5222, "host.example.org")])]
            case DNSAnswer.a: [question.answer([DNSAnswer.record(DNSAnswer.a, [10, 0, 0, 1])])]
            default:
                [
                    question.answer([
                        DNSAnswer.record(DNSAnswer.aaaa, [0x20, 1] + [UInt8](repeating: 0, count: 13) + [9])
                    ])
                ]
            }
        } _: { resolver, _, loop async throws in
            #expect(try await resolver.services(Self.service, loop) == [record(1, 2, "host.example.org")])
            #expect(try await resolver.addresses("host.example.org", .v4, loop) == ["10.0.0.1"])
            #expect(try await resolver.addresses("host.example.org", .v6, loop) == ["2001::9"])
        }
    }

    @Test("goes over to TCP for an answer that UDP cut off, and reads a thousand targets")
    func truncation() async throws {
        try await withResolver { question in
            var answer = DNSAnswer(question.name, question.type)
            answer.isTruncated = !question.isTCP
            if question.isTCP {
                answer.records = (0..<1000).map { DNSAnswer.service(UInt16($0), 0, 1, "t\($0).example.org") }
            }
            return [answer.bytes]
        } _: { resolver, server, loop async throws in
            let services = try await resolver.services(Self.service, loop)
            #expect(services.count == 1000)
            #expect(server.asked.values.map(\.isTCP) == [false, true])
        }
    }

    @Test("follows aliases", arguments: [DNSAnswer.a, DNSAnswer.srv])
    func aliases(_ type: UInt16) async throws {
        let other = DNSAnswer.encoded("other.example")
        try await withResolver { question in
            [
                question.answer([
                    DNSAnswer.record(DNSAnswer.cname, other), DNSAnswer.service(0, 0, 1, "t.example", owner: other),
                    DNSAnswer.record(DNSAnswer.a, [10, 0, 0, 1], owner: other),
                ])
            ]
        } _: { resolver, _, loop async throws in
            #expect(try await resolver.services(Self.service, loop) == [record(0, 0, "t.example", 1)])
            #expect(try await resolver.addresses("host.example", .v4, loop) == ["10.0.0.1"])
        }
    }

    // MARK: - What is not there

    @Test("takes NXDOMAIN and an answer without records for no records")
    func nothing() async throws {
        for code in [DNSAnswer.Code.noError, .noSuchName] {
            try await withResolver {
                [$0.answer(code: code)]
            } _: { resolver, _, loop async throws in
                #expect(try await resolver.services(Self.service, loop) == [])
                #expect(try await resolver.addresses("host.example", .v6, loop) == [])
            }
        }
    }

    /// What a server may say instead of an answer.
    enum Fault: CaseIterable {
        case serverFailure, refused, notImplemented, formatError, silence, emptyDatagram, garbage, otherQuestion,
            otherID
        case notAnAnswer, cutOff, circle, pointerLoop, cutOffTCP
    }

    private static func replies(_ fault: Fault, _ question: NameServer.Question) -> [[UInt8]] {
        let service = DNSAnswer.service(0, 0, 1, "evil.example")
        switch fault {
        case .serverFailure: return [question.answer(code: .serverFailure)]
        case .refused: return [question.answer(code: .refused)]
        case .notImplemented: return [question.answer(code: .notImplemented)]
        case .formatError: return [question.answer(code: .formatError)]
        case .silence: return []
        case .emptyDatagram: return question.isTCP ? [] : [[]]
        case .garbage: return [[UInt8](repeating: 0xC0, count: 300), [0, 1, 0xC0], [0, 1] + [UInt8](0...255)]
        case .otherQuestion:
            return [DNSAnswer("_xmpp-client._tcp.example.com", question.type, records: [service]).bytes]
        case .otherID: return [[9, 9] + question.answer([service]).dropFirst(2)]
        case .notAnAnswer: return [[0, 1, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0]]
        case .cutOff:
            var answer = DNSAnswer(question.name, question.type, records: [service])
            answer.recordCount = 7
            return [answer.bytes]
        case .circle:
            return [question.answer([DNSAnswer.record(DNSAnswer.cname, DNSAnswer.encoded(question.name))])]
        case .pointerLoop:
            let start = UInt8(question.answer().count + 12 + 6)
            return [question.answer([DNSAnswer.record(DNSAnswer.srv, [0, 0, 0, 0, 0, 1, 0xC0, start])])]
        case .cutOffTCP:
            var answer = DNSAnswer(question.name, question.type)
            answer.isTruncated = true
            return question.isTCP ? [] : [answer.bytes]
        }
    }

    @Test("says that there was no answer, whatever a server sends instead", arguments: Fault.allCases)
    func faults(_ fault: Fault) async throws {
        try await withResolver(patience: .milliseconds(20)) {
            Self.replies(fault, $0)
        } _: { resolver, server, loop async throws in
            let error = await #expect(throws: TransportError.self) { try await resolver.services(Self.service, loop) }
            #expect(error?.code == .dnsFailed && error?.detail.contains(Self.service) == true)
            // The same resolver serves the next attempt (B064).
            server.change { [$0.answer([DNSAnswer.service(1, 0, 5222, "host.example")])] }
            let found = await asking(while: { $0 == nil }) { try? await resolver.services(Self.service, loop) }
            #expect(found == [record(1, 0, "host.example")])
        }
    }

    @Test("asks again where a datagram was lost")
    func lost() async throws {
        let count = Locked(0)
        try await withResolver(patience: .milliseconds(500)) { question in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? [] : [question.answer([DNSAnswer.service(1, 0, 5222, "host.example")])]
        } _: { resolver, server, loop async throws in
            #expect(try await resolver.services(Self.service, loop).count == 1)
            #expect(server.asked.values.count == 2)
        }
    }

    @Test("says that nobody answers where there is no name server")
    func noServer() async throws {
        try await withLoop { loop in
            let server = try NameServer { _ in [] }
            server.close()
            let resolver = SystemResolver(
                servers: [try server.address], hosts: HostsFile(path: "/nonexistent"), patience: .milliseconds(20))
            for name in [Self.service, "no..name", "", "a\0b", String(repeating: "x", count: 300)] {
                await #expect(throws: TransportError.self) { try await resolver.services(name, loop) }
            }
        }
    }

    @Test("asks the next name server where one fails")
    func nextServer() async throws {
        try await withLoop { loop in
            let broken = try NameServer { [$0.answer(code: .serverFailure)] }
            defer { broken.close() }
            let good = try NameServer { [$0.answer([DNSAnswer.service(1, 0, 5222, "host.example")])] }
            defer { good.close() }
            let resolver = SystemResolver(
                servers: [try broken.address, try good.address], hosts: HostsFile(path: "/nonexistent"))
            #expect(try await resolver.services(Self.service, loop).count == 1)
        }
    }

    // MARK: - Life

    @Test("keeps no answer: the next look-up sees what changed (B064)")
    func fresh() async throws {
        try await withResolver {
            [$0.answer(code: .noSuchName)]
        } _: { resolver, server, loop async throws in
            #expect(try await resolver.services(Self.service, loop) == [])
            for port: UInt16 in [1, 2] {
                server.change { [$0.answer([DNSAnswer.service(1, 0, port, "host.example")])] }
                #expect(try await resolver.services(Self.service, loop) == [record(1, 0, "host.example", port)])
            }
        }
    }

    @Test("gives no answer to who has cancelled, and lets go of what waited")
    func cancelling() async throws {
        final class Token: Sendable {}
        try await withResolver {
            [$0.answer()]
        } _: { resolver, server, loop async throws in
            let answers = Recorder<Void>()
            let isAlive = try await loop.run {
                weak var kept: Token?
                func ask() -> any PendingLookUp {
                    let token = Token()
                    kept = token
                    return resolver.services(named: Self.service, on: loop) { _ in
                        withExtendedLifetime(token) {}
                        answers.record(())
                    }
                }
                ask().cancel()
                return kept != nil
            }
            #expect(!isAlive)
            _ = try await resolver.services(Self.service, loop)
            #expect(answers.values.isEmpty)
        }
    }

    @Test("answers two thousand look-ups at once, all of them")
    func many() async throws {
        try await withResolver(patience: .seconds(5)) {
            [$0.answer([DNSAnswer.service(1, 0, 5222, "h.example")])]
        } _: { resolver, _, loop async throws in
            let answers = Recorder<Result<[ServiceRecord], TransportError>>()
            // In portions that fit into the server's receive buffer.
            for portion in 0..<40 {
                try await loop.run {
                    for number in 0..<50 {
                        _ = resolver.services(named: "d\(portion).\(number).example", on: loop) {
                            answers.record($0)
                        }
                    }
                }
                try await answers.wait(count: (portion + 1) * 50)
            }
            #expect(answers.values.allSatisfy { (try? $0.get().count) == 1 })
        }
    }

    @Test("may go while an answer is out, and its loop too")
    func gone() async throws {
        for stopsLoop in [true, false] {
            let server = try NameServer { _ in [] }
            defer { server.close() }
            let loop = try EventLoop(name: "gone")
            loop.start()
            let address = try server.address
            try await loop.run {
                let resolver = SystemResolver(servers: [address], hosts: .system, patience: .milliseconds(20))
                _ = resolver.services(named: Self.service, on: loop) { _ in }
            }
            try await server.asked.wait(count: 1)
            if !stopsLoop { await loop.settle() }
            loop.stop()
        }
    }

    @Test("reads the system's configuration off the loop, once for all who ask meanwhile")
    func configurationOffTheLoop() async throws {
        try await withResolver {
            [$0.answer()]
        } _: { resolver, server, loop async throws in
            let pool = BusyPool()
            await pool.isBusy()
            let answers = Recorder<Bool>()
            try await loop.run {
                for _ in 0..<20 {
                    _ = resolver.services(named: Self.service, on: loop) { answer in
                        if case .success = answer { answers.record(true) } else { answers.record(false) }
                    }
                }
            }
            await loop.settle()
            #expect(server.asked.values.isEmpty)
            pool.free()
            #expect(try await answers.wait(count: 20).allSatisfy { $0 })
        }
    }

    // MARK: - Names of this machine

    @Test("takes /etc/hosts before any name server, for both families")
    func hosts() async throws {
        try await withFolder { folder in
            let path = folder + "/hosts"
            try "10.1.2.3 host.example short\n".write(toFile: path, atomically: true, encoding: .utf8)
            try await withResolver(hosts: HostsFile(path: path)) {
                [$0.answer()]
            } _: { resolver, server, loop async throws in
                #expect(try await resolver.addresses("Host.Example", .v4, loop) == ["10.1.2.3"])
                #expect(try await resolver.addresses("host.example", .v6, loop) == [])
                #expect(try await resolver.addresses("short", .v4, loop) == ["10.1.2.3"])
                #expect(server.asked.values.isEmpty)
                #expect(try await resolver.addresses("other.example", .v4, loop) == [])
                #expect(server.asked.values.map(\.name) == ["other.example"])
            }
        }
    }

    @Test("takes localhost for this machine, whatever a name server says")
    func localhost() async throws {
        try await withResolver {
            [$0.answer([DNSAnswer.record(DNSAnswer.a, [10, 6, 6, 6])])]
        } _: { resolver, server, loop async throws in
            for name in ["localhost", "LOCALHOST", "x.localhost"] {
                #expect(try await resolver.addresses(name, .v4, loop) == ["127.0.0.1"])
                #expect(try await resolver.addresses(name, .v6, loop) == ["::1"])
            }
            #expect(server.asked.values.isEmpty)
        }
        try await withLoop { loop in
            let found = try await SystemResolver().addresses("localhost", .v4, loop)
            #expect(found.contains("127.0.0.1"))
        }
    }

    // MARK: -

    private func withResolver(
        hosts: HostsFile = HostsFile(path: "/nonexistent"), patience: Duration = .seconds(2),
        _ script: @escaping NameServer.Script,
        _ body: (SystemResolver, NameServer, EventLoop) async throws -> Void
    ) async throws {
        let server = try NameServer(script)
        defer { server.close() }
        try await withLoop { loop in
            try await body(
                SystemResolver(servers: [try server.address], hosts: hosts, patience: patience), server, loop)
        }
    }
}

extension SystemResolver {
    fileprivate func services(_ name: String, _ loop: EventLoop) async throws -> [ServiceRecord] {
        try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                _ = self.services(named: name, on: loop) { continuation.resume(with: $0) }
            }
        }
    }

    fileprivate func addresses(_ host: String, _ family: IPFamily, _ loop: EventLoop) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                _ = self.addresses(of: host, family: family, on: loop) { answer in
                    continuation.resume(with: answer.map { $0.map(\.description) })
                }
            }
        }
    }
}
