import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit
import XMPPTransport

/// What the logins of a client leave for the next one, also in another process.
@Suite struct ClientMemoryTests {
    /// Nothing of a client but its memory, as text, reaches the next one: as if the process had ended in between.
    private func throughText(_ memory: Client.Memory) throws -> Client.Memory {
        try JSONDecoder().decode(Client.Memory.self, from: JSONEncoder().encode(memory))
    }

    private func makeServer(_ behaviour: ServerBehaviour = .modern) async throws -> ScriptedServer {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret")
        await server.behave { $0 = behaviour }
        return server
    }

    /// One client's life until `body` is over; then it stops as it is told.
    private func live(
        on server: ScriptedServer, time: ManualTime? = nil, resumable: Bool = true,
        options change: (inout Client.Options) -> Void = { _ in }, _ body: (Client) async throws -> Void
    ) async throws -> Client.Memory {
        var options = Client.Options()
        options.transport = server.transport(time: time)
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        change(&options)
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        try await body(client)
        await client.stop(resumable: resumable)
        try await running.value
        return await client.memory
    }

    private func available(_ server: ScriptedServer) async throws {
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        try await server.barrier(.bot)
    }

    private func resumed(_ server: ScriptedServer) async throws {
        _ = try await server.events.next { if case .resumed = $0 { true } else { false } }
        try await server.barrier(.bot)
    }

    private func gone(_ server: ScriptedServer) async throws {
        _ = try await server.events.next { if case .disconnected = $0 { true } else { false } }
    }

    @Test(
        "a session goes on in the next process: no presence, and what came meanwhile is there",
        arguments: [true, false])
    func nextProcess(isModern: Bool) async throws {
        var behaviour = ServerBehaviour()
        behaviour.streamManagement = .init()
        let server = try await makeServer(isModern ? .modern : behaviour)
        defer { server.stop() }
        let first = try await live(on: server) { client in
            try await available(server)
            try await client.send(Message(to: JID("ann@example.net/a"), body: "before"))
            try await server.barrier(.bot)
        }
        try await gone(server)
        #expect(first.sessionAddress != nil)
        #expect(first.hasToken == isModern)
        #expect(first.usedStrongMechanism)
        await server.send("<message from='ann@example.net/a'><body>meanwhile</body></message>", to: .bot)
        let memory = try throughText(first)
        let second = try await live(on: server, options: { $0.memory = memory }) { client in
            try await resumed(server)
            #expect(await client.address == first.sessionAddress)
            try await client.send(Message(to: JID("ann@example.net/a"), body: "after"))
            try await server.barrier(.bot)
        }
        #expect(second.userAgentID == first.userAgentID)
        let received = server.received.all
        #expect(received.count { $0.element.name == "presence" } == 1)
        let bodies = received.compactMap { $0.element.first("body", Namespace.client)?.text }
        #expect(bodies == ["before", "after"])
    }

    @Test("a stop in order leaves no session, and the next login needs no password hashing where it has a token")
    func inOrder() async throws {
        let server = try await makeServer()
        defer { server.stop() }
        let memory = try await live(on: server, resumable: false) { _ in try await available(server) }
        #expect(memory.sessionAddress == nil)
        _ = try await live(on: server, options: { $0.memory = try? throughText(memory) }) { _ in
            try await available(server)
        }
        let mechanisms = server.events.all.compactMap { event -> String? in
            if case .authenticated(_, let mechanism, _) = event { mechanism } else { nil }
        }
        #expect(mechanisms.count == 2)
        #expect(mechanisms.last?.hasPrefix("HT-") == true)
    }

    @Test("a session goes on after a crash with what was last stored: what was not is sent again")
    func crash() async throws {
        var behaviour = ServerBehaviour()
        behaviour.streamManagement = .init()
        let server = try await makeServer(behaviour)
        defer { server.stop() }
        let stored = EventRecorder<Client.Memory>()
        var options = Client.Options()
        // Its time stands still, so that counts alone are not stored.
        options.transport = server.transport(time: ManualTime())
        options.reconnects = false
        options.keep = { stored.record($0) }
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        try await available(server)
        let last = try await stored.next { $0.sessionAddress != nil }
        await server.send("<message from='a@example.net'><body>one</body></message>", to: .bot)
        try await client.send(Message(to: JID("ann@example.net/a"), body: "not in the memory"))
        try await server.barrier(.bot)
        await server.dropLink(of: .bot)
        try await gone(server)
        await #expect(throws: ClientError.self) { try await running.value }
        // As the process after one that was killed here.
        let memory = try throughText(last)
        var bodies: [String] = []
        _ = try await live(on: server, options: { $0.memory = memory }) { client in
            try await resumed(server)
            for await message in client.messages {
                bodies.append(message.body ?? "")
                break
            }
            try await client.send(Message(to: JID("ann@example.net/a"), body: "after"))
            try await server.barrier(.bot)
        }
        #expect(bodies == ["one"])
        let said = server.received.all.compactMap { $0.element.first("body", Namespace.client)?.text }
        #expect(said == ["not in the memory", "after"])
        #expect(server.received.all.count { $0.element.name == "presence" } == 1)
    }

    @Test("the server is told of a stanza only once the memory that counts it is stored")
    func acknowledgedWhenStored() async throws {
        var behaviour = ServerBehaviour()
        behaviour.streamManagement = .init()
        let server = try await makeServer(behaviour)
        defer { server.stop() }
        let (gate, opener) = AsyncStream<Void>.makeStream()
        _ = try await live(
            on: server, time: ManualTime(),
            options: {
                $0.keep = { _ in
                    for await _ in gate { break }
                }
            },
            { _ in
                _ = try await server.events.next { if case .available = $0 { true } else { false } }
                // So many are stored without a pause.
                let messages = (1...64).map { "<message from='a@example.net'><body>\($0)</body></message>" }
                await server.send(messages.joined(), to: .bot)
                await server.send("<r xmlns='urn:xmpp:sm:3'/>", to: .bot)
                let early = try await server.received.next { $0.element.name == "a" }
                #expect(early.element[attribute: "h"] == "0")
                opener.finish()
                let later = try await server.received.next { $0.element.name == "a" }
                #expect(later.element[attribute: "h"] == "64")
            })
    }

    @Test("the last of it is stored where the client's task is cancelled, too")
    func cancelled() async throws {
        let server = try await makeServer()
        defer { server.stop() }
        let stored = EventRecorder<Client.Memory>()
        var options = Client.Options()
        options.transport = server.transport()
        options.keep = { memory in
            try Task.checkCancellation()
            stored.record(memory)
        }
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        try await available(server)
        running.cancel()
        try await running.value
        // The stream was closed in order, so there is no session to go on with.
        #expect(stored.all.last?.hasToken == true)
        #expect(stored.all.last?.sessionAddress == nil)
    }

    @Test("where it cannot be stored the observer is told, and it is tried again after a pause")
    func notStored() async throws {
        final class Notes: ConnectionObserver {
            let kinds = EventRecorder<ConnectionObservation.Kind>()
            func observed(_ event: ConnectionObservation, of account: BareJID) { kinds.record(event.kind) }
        }
        struct Full: Error {}
        let server = try await makeServer()
        defer { server.stop() }
        let (time, notes, stored, failures) = (ManualTime(), Notes(), EventRecorder<Client.Memory>(), Locked(2))
        _ = try await live(
            on: server, time: time,
            options: {
                $0.observer = notes
                $0.keep = { memory in
                    let fails = failures.withLock { failures in
                        failures -= 1
                        return failures >= 0
                    }
                    if fails { throw Full() }
                    stored.record(memory)
                }
            },
            { _ in
                try await available(server)
                _ = try await notes.kinds.next { $0 == .memoryNotKept }
                #expect(stored.all.isEmpty)
                // The pause is armed some turns behind the observation, so time goes on until both are over.
                for _ in 0..<1_000 where stored.all.isEmpty {
                    try await server.barrier(.bot)
                    time.advance(by: .seconds(2))
                }
                _ = try await notes.kinds.next { $0 == .memoryNotKept }
                _ = try await stored.next { $0.hasToken && $0.sessionAddress != nil }
            })
    }

    @Test("no printed form has the token or the text of a stanza, and the stored one has both")
    func secrets() async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.streamManagement?.acknowledges = false
        let server = try await makeServer(behaviour)
        defer { server.stop() }
        let memory = try await live(on: server) { client in
            try await available(server)
            try await client.send(Message(to: JID("ann@example.net/a"), body: "private words"))
            try await server.barrier(.bot)
        }
        let stored = String(decoding: try JSONEncoder().encode(memory), as: UTF8.self)
        #expect(stored.contains("private words"))
        let token = try #require(
            server.received.all.isEmpty
                ? nil
                : (JSONSerialization.jsonObject(with: Data(stored.utf8)) as? [String: Any])?["token"] as? [String: Any])
        let secret = try #require(token["secret"] as? String)
        #expect(!secret.isEmpty)
        var dumped = ""
        dump(memory, to: &dumped)
        for text in ["\(memory)", String(reflecting: memory), dumped, "\([memory])", "\(Optional(memory) as Any)"] {
            #expect(!text.contains(secret), "\(text)")
            #expect(!text.contains("private"), "\(text)")
            #expect(text.contains("bot@example.org"))
        }
    }

    @Test("what was stored once is read by every later version: names and meanings are a contract")
    func stored() async throws {
        let text = #"""
            {"version": 1, "account": "bot@example.org", "userAgent": "6f1b9a52-7c6e-4f1c-9d0a-2b7f4f7f3c11",
             "usedStrongMechanism": true, "usedAnnouncedBinding": false,
             "token": {"mechanism": "HT-SHA-256-EXPR", "secret": "t0ken", "expiry": "2036-01-01T00:00:00Z"},
             "session": {"address": "bot@example.org/r", "resource": "r", "id": "s1", "location": "x.example:9",
                "maximum": 300, "inbound": 4294967295, "outbound": 2, "acknowledged": 1,
                "unacknowledged": ["<presence/>"],
                "features": "<s:features><sm xmlns='urn:xmpp:sm:3'/></s:features>"}}
            """#
        let memory = try JSONDecoder().decode(Client.Memory.self, from: Data(text.utf8))
        #expect(memory.userAgentID == "6f1b9a52-7c6e-4f1c-9d0a-2b7f4f7f3c11")
        #expect(memory.usedStrongMechanism)
        #expect(!memory.usedAnnouncedBinding)
        #expect(memory.hasToken)
        #expect(memory.sessionAddress?.description == "bot@example.org/r")
        let again = try JSONSerialization.jsonObject(with: JSONEncoder().encode(memory)) as? [String: Any]
        let before = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(Set(again?.keys.map { $0 } ?? []) == Set(before?.keys.map { $0 } ?? [""]))
        for part in ["token", "session"] {
            var (left, right) = (again?[part] as? [String: Any], before?[part] as? [String: Any])
            // The features are written with the namespace that the stream had.
            let features = left?["features"] as? String
            #expect(part == "token" || features?.contains("urn:xmpp:sm:3") == true)
            left?["features"] = nil
            right?["features"] = nil
            #expect((left as NSDictionary?) == (right as NSDictionary?), "\(part)")
        }
    }

    @Test(
        "a memory is another account's, of another resource or partly broken: it is refused, or the session is left out"
    )
    func foreign() async throws {
        let server = try await makeServer()
        defer { server.stop() }
        let memory = try await live(on: server) { _ in try await available(server) }
        var options = Client.Options()
        options.memory = memory
        let error = #expect(throws: ClientError.self) {
            try Client(account: BareJID("ann@example.org"), password: "x", options: options)
        }
        #expect(error?.code == .unusable)
        _ = try await live(
            on: server,
            options: {
                $0.memory = memory
                $0.resource = "other"
            },
            { _ in try await available(server) })
        #expect(!server.events.all.contains { if case .resumed = $0 { true } else { false } })
        let text = String(decoding: try JSONEncoder().encode(memory), as: UTF8.self)
        let damaged: [(String, String)] = [
            ("\"features\":\"<", "\"features\":\"<<"), ("\"address\":\"bot@", "\"address\":\"@"),
            ("\"address\":\"bot@", "\"address\":\"ann@"), ("\"inbound\":", "\"inbound\":-"),
            ("\"unacknowledged\":[", "\"unacknowledged\":[\"</stream:stream>\","),
            ("\"unacknowledged\":[", "\"unacknowledged\":[\"<presence/><presence/>\","),
        ]
        for (old, new) in damaged {
            let broken = text.replacing(old, with: new, maxReplacements: 1)
            #expect(broken != text, "\(old)")
            let read = try JSONDecoder().decode(Client.Memory.self, from: Data(broken.utf8))
            #expect(read.sessionAddress == nil, "\(new)")
            #expect(read.hasToken)
        }
        for (old, new) in [("\"version\":1", "\"version\":2"), ("\"account\":\"bot@", "\"account\":\"@")] {
            let broken = text.replacing(old, with: new, maxReplacements: 1)
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Client.Memory.self, from: Data(broken.utf8))
            }
        }
    }

    @Test("what the server showed is not given up in the next process either, unless it is trusted again")
    func downgrade() async throws {
        let server = try await makeServer(ServerBehaviour())
        defer { server.stop() }
        var memory = try throughText(try await live(on: server) { _ in try await available(server) })
        await server.behave { $0.mechanisms = ["PLAIN"] }
        var options = Client.Options()
        options.transport = server.transport()
        options.allowsPlain = true
        options.memory = memory
        let weakened = try Client(account: .bot, password: "secret", options: options)
        let error = await #expect(throws: ClientError.self) { try await weakened.run() }
        #expect(error?.reason == "login_weakened")
        memory.trustAgain()
        memory.forgetSession()
        _ = try await live(
            on: server,
            options: {
                $0.allowsPlain = true
                $0.memory = memory
            },
            { _ in try await available(server) })
    }

    @Test("the file of the article keeps a memory, for its user only, and the article shows that file")
    func article() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: folder.appending(path: "MemoryFile.swift"), encoding: .utf8)
        let article = try String(
            contentsOf: folder.appending(path: "../../Sources/XMPPClient/XMPPClient.docc/Restarts.md"),
            encoding: .utf8)
        #expect(article.contains("```swift\n\(source)```\n"))
        let path = FileManager.default.temporaryDirectory.appending(path: "memory-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = MemoryFile(path: path)
        #expect(try file.load()?.account == nil)
        let memory = Client.Memory(account: .bot)
        try file.save(memory)
        try file.save(memory)
        #expect(try file.load()?.userAgentID == memory.userAgentID)
        let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
    }
}
