import Dispatch
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit
import XMPPTransport

/// Deadlines: exact, one timer a connection, and no peer that is dead for long without being found.
@Suite struct ConnectionTimeTests {
    private static let presence = Element("presence", namespace: Namespace.client)

    private func isLost(_ end: SessionEnd) -> Bool {
        if case .lost = end.cause { true } else { false }
    }

    private static func silent(managed: Bool) -> @Sendable (ScriptedServer) async -> Void {
        { server in
            await server.behave {
                if managed { $0.streamManagement = .init() }
                $0.streamManagement?.acknowledges = false
                $0.answersPings = false
            }
        }
    }

    @Test("an idle connection has one timer, and does nothing for five minutes")
    func idle() async throws {
        try await withClient(before: { await $0.behave { $0.streamManagement = .init() } }) { client in
            try await client.established()
            await client.settle()
            let writes = client.writes.count
            for _ in 0..<29 {
                await client.pass(.seconds(10))
                #expect(client.loop.timerCount == 1)
            }
            #expect(client.writes.count == writes)
            await client.pass(.seconds(10))
            #expect(client.writes.count == writes + 1)
        }
    }

    @Test("a dead peer is found within 60 s of an unanswered stanza (B067)", arguments: [true, false], [0, 100, 250])
    func dead(managed: Bool, after: Int) async throws {
        try await withClient(before: Self.silent(managed: managed)) { client in
            try await client.established()
            await client.settle()
            await client.server.react { _ in .nothing }
            await client.pass(.seconds(after))
            let connection = client.connection
            await client.onLoop {
                let request = connection.request(.get, Element("q", namespace: "urn:example:q")) { _ in }
                connection.send([request].compactMap { $0 } + [Self.presence])
            }
            await client.pass(.seconds(29))
            await client.pass(.seconds(1))
            #expect(client.events.all.count { if case .progressed = $0 { true } else { false } } == 5)
            await client.pass(.seconds(25))
            let end = await client.end
            #expect(isLost(end))
            #expect((end.resumable != nil) == managed)
        }
    }

    @Test("a peer that says anything is not dead, though one request stays unanswered (B067)")
    func oneUnanswered() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
            let replies = EventRecorder<String>()
            let connection = client.connection
            await client.onLoop {
                let request = connection.request(.get, Element("q", namespace: "urn:example:q")) { _ in
                    replies.record("over")
                }
                connection.send([request].compactMap { $0 })
            }
            for _ in 0..<12 { await client.pass(.seconds(5)) }
            #expect(replies.all == ["over"])
            await client.pass(.seconds(250))
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
        }
    }

    @Test(
        "a stanza whose rest does not come within a minute ends it, unclean",
        arguments: ["<presence", "<message><body>x"])
    func stalled(text: String) async throws {
        try await withClient(before: { await $0.behave { $0.streamManagement = .init() } }) { client in
            try await client.established()
            await client.settle()
            await client.server.send(text, to: .bot)
            await client.settle()
            await client.pass(.seconds(59))
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
            await client.pass(.seconds(1))
            let end = await client.end
            #expect(isLost(end))
            #expect(end.description.contains("middle of a stanza"))
            #expect(end.resumable != nil)
        }
    }

    @Test("a stanza that comes slowly, and white space, are no stall (B042)", arguments: ["<presence", " "])
    func slow(text: String) async throws {
        try await withClient { client in
            try await client.established()
            await client.server.send(text, to: .bot)
            await client.settle()
            await client.pass(.seconds(50))
            await client.server.send(text == " " ? " " : " from='a@example.net'", to: .bot)
            await client.settle()
            await client.pass(.seconds(50))
            await client.server.send(text == " " ? " " : "/>", to: .bot)
            await client.settle()
            await client.pass(.seconds(200))
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
        }
    }

    @Test("a stanza of which a byte comes now and then ends it all the same", arguments: [1, 20, 59])
    func drip(pause: Int) async throws {
        try await withClient(before: { await $0.behave { $0.streamManagement = .init() } }) { client in
            try await client.established()
            await client.server.send("<message><body>", to: .bot)
            await client.settle()
            var seconds = 0
            while !client.server.events.all.contains(where: { if case .disconnected = $0 { true } else { false } }) {
                try #require(seconds < 200)
                await client.pass(.seconds(pause))
                seconds += pause
                await client.server.send("x", to: .bot)
                await client.settle()
            }
            #expect(seconds >= 120)
            let end = await client.end
            #expect(isLost(end))
            #expect(end.description.contains("too slowly"))
            #expect(end.resumable != nil)
        }
    }

    @Test("the longest stanza over a slow link arrives: 256 KiB at 1 KiB a second", arguments: [10, 50])
    func slowLink(pause: Int) async throws {
        try await withClient { client in
            try await client.established()
            await client.server.send("<message from='a@example.net'><body>", to: .bot)
            await client.settle()
            for _ in 0..<(255 / pause) {
                await client.pass(.seconds(pause))
                await client.server.send(String(repeating: "x", count: pause * 1024), to: .bot)
                await client.settle()
            }
            await client.server.send("</body></message>", to: .bot)
            _ = try await client.events.next { if case .received(.message) = $0 { true } else { false } }
        }
    }

    /// Holds up everything that blocks from the challenge on, as thousands of logins at once do.
    private final class Crowd: Sendable {
        private let entered = DispatchSemaphore(value: 0)
        private let gate = DispatchSemaphore(value: 0)

        var interceptor: Interceptor {
            Interceptor(toClient: { [self] text in
                guard text.contains("<challenge ") else { return text }
                for _ in 0..<4 {
                    Task {
                        try await BlockingPool.run {
                            self.entered.signal()
                            self.gate.wait()
                        }
                    }
                }
                for _ in 0..<4 { entered.wait() }
                return text
            })
        }

        func leave() { for _ in 0..<4 { gate.signal() } }
    }

    @Test("what keys wait for in this process is not the server's delay; what it takes behind them is")
    func ownQueue() async throws {
        let crowd = Crowd()
        try await withClient(
            before: {
                await $0.intercept(crowd.interceptor)
                await $0.behave { $0.silentFrom = .success }
            }
        ) { client in
            _ = try await client.server.received.next { $0.element.name == "auth" }
            await client.settle()
            for _ in 0..<20 { await client.pass(.seconds(29)) }
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
            crowd.leave()
            _ = try await client.server.received.next { $0.element.name == "response" }
            await client.settle()
            await client.pass(.seconds(29))
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
            await client.pass(.seconds(1))
            guard case .unreachable = await client.end.cause else { return #expect(Bool(false)) }
        }
    }

    @Test("nor is what a handshake waits for others of this process")
    func handshakeQueue() async throws {
        let queue = Locked(Duration.zero)
        let server = Locked<(any Connector)?>(nil)
        let connector = QueueingConnector(queue: queue, inner: server)
        try await withClient(
            connector: connector,
            before: {
                server.withLock { [connector = $0.connector] in $0 = connector }
                await $0.behave { $0.silentFrom = .features }
            }
        ) { client in
            _ = try await client.events.next { if case .progressed(.securing) = $0 { true } else { false } }
            await client.settle()
            // In this stage, half a minute of the whole was our own.
            queue.withLock { $0 = .seconds(20) }
            await client.pass(.seconds(30))
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
            await client.pass(.seconds(19))
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
            await client.pass(.seconds(1))
            guard case .unreachable = await client.end.cause else { return #expect(Bool(false)) }
        }
    }

    @Test("with as many requests outstanding as there may be, the server is still asked for a sign of life")
    func fullTable() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
            let connection = client.connection
            await client.onLoop {
                let requests = (0..<1024).compactMap { _ in
                    connection.request(.get, Element("q", namespace: "urn:example:q")) { _ in }
                }
                connection.send(requests)
            }
            await client.settle()
            await client.pass(.seconds(30))
            _ = try await client.server.received.next { $0.isIQ("get", "ping", Namespace.ping) }
            await client.settle()
            await client.pass(.seconds(26))
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
        }
    }

    @Test("nothing is left behind: no timer outlives its connection")
    func noTimers() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.dropLink(of: .bot)
            _ = await client.end
            await client.settle()
            #expect(client.loop.timerCount == 0)
        }
    }
}
