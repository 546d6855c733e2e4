import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit

/// How much is let in changes with the element that ends the login, wherever the reads are cut.
@Suite struct ConnectionLimitsTests {
    private static let agent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Test")

    /// What a stranger may have sent, that no login holds.
    enum Large: CaseIterable {
        case text, attributes, depth, overAll

        var xml: String {
            switch self {
            case .text:
                "<presence from='a@example.net' type='subscribe'><status>\(String(repeating: "x", count: 20_000))</status></presence>"
            case .attributes:
                "<presence from='a@example.net' type='subscribe' \((0..<80).map { "a\($0)='>'" }.joined(separator: " "))/>"
            case .depth:
                "<presence from='a@example.net' type='subscribe'>\(String(repeating: "<x>", count: 80))"
                    + "\(String(repeating: "</x>", count: 80))</presence>"
            case .overAll:
                "<presence from='a@example.net' type='subscribe'><status>\(String(repeating: "x", count: 300_000))</status></presence>"
            }
        }
    }

    private static func said(_ text: String, behind words: String) -> Interceptor {
        Interceptor(toClient: { $0.contains(words) ? $0 + text : $0 })
    }

    private func subscribed(_ event: ClientEvent) -> Bool {
        if case .received(.presence(let presence)) = event { presence.type == .subscribe } else { false }
    }

    private static let modern = { @Sendable (server: ScriptedServer) async -> Void in
        await server.behave { ($0.sasl2, $0.streamManagement) = (.init(), .init()) }
    }

    @Test("what comes in one read with the success of SASL2 is read by the limits behind it", arguments: Large.allCases)
    func fresh(large: Large) async throws {
        try await withClient(
            settings: { $0.userAgent = Self.agent },
            before: { server in
                await Self.modern(server)
                await server.intercept(Self.said(large.xml, behind: "<success "))
            }
        ) { client in
            try await client.established()
            let event = try await client.events.next { self.subscribed($0) }
            guard case .received(let stanza) = event else { return }
            #expect(stanza.element.children.isEmpty == (large != .text))
            // The count is the server's all the same.
            await client.server.send("<message from='a@example.net'/>", to: .bot)
            _ = try await client.events.next { if case .received(.message) = $0 { true } else { false } }
        }
    }

    @Test("and so with the resumption", arguments: Large.allCases)
    func resumed(large: Large) async throws {
        try await withClient(settings: { $0.userAgent = Self.agent }, before: Self.modern) { client in
            try await client.established()
            await client.settle()
            await client.server.dropLink(of: .bot)
            let resumable = await client.end.resumable
            await client.server.intercept(Self.said(large.xml, behind: "<resumed "))
            let second = try await client.another(settings: {
                $0.resumption = resumable
                $0.userAgent = Self.agent
            })
            _ = try await second.events.next { if case .resumed = $0 { true } else { false } }
            _ = try await second.events.next { self.subscribed($0) }
            await second.finish()
        }
    }

    @Test(
        "before the login is done the limits of before hold, also in the read that ends it",
        arguments: ["<challenge ", "<success "], Large.allCases)
    func before(words: String, large: Large) async throws {
        try await withClient(
            settings: { $0.userAgent = Self.agent },
            before: { server in
                await Self.modern(server)
                await server.intercept(Interceptor(toClient: { $0.contains(words) ? large.xml + $0 : $0 }))
            }
        ) { client in
            let end = await client.end
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.code == .malformedStream)
            #expect(error.condition == "policy-violation")
        }
    }

    /// An answer of more than one stanza may have.
    private static func large(_ id: String, from: String = "") -> String {
        "<iq type='result' id='\(id)'\(from)><q xmlns='urn:example:q'>\(String(repeating: "x", count: 300_000))</q></iq>"
    }

    private final class Watcher: ConnectionObserver {
        let kinds = EventRecorder<ConnectionObservation.Kind>()
        func observed(_ event: ConnectionObservation, of account: BareJID) { kinds.record(event.kind) }
    }

    /// Asks the server, which does not answer by itself; tells the id, and what becomes of it.
    private func ask(_ client: TestedConnection, _ replies: EventRecorder<String>) async throws -> String {
        await client.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
        let connection = client.connection
        await client.onLoop {
            let request = connection.request(.get, Element("q", namespace: "urn:example:q")) { reply in
                switch reply {
                case .result(let payload): replies.record("\(payload?.text.utf8.count ?? 0)")
                case .error: replies.record("error")
                case .noReply: replies.record("none")
                }
            }
            connection.send([request].compactMap { $0 })
        }
        let asked = try await client.server.received.next { $0.isIQ("get", "q", "urn:example:q") }
        return asked.element[attribute: "id"] ?? ""
    }

    @Test("an answer may be larger than a stanza, while a request is out and no longer")
    func answers() async throws {
        let watcher = Watcher()
        try await withClient(settings: { $0.observer = watcher }) { client in
            try await client.established()
            // Nobody asked.
            for from in ["", " from='ann@example.net/x'"] {
                await client.server.send(Self.large("unasked", from: from), to: .bot)
                _ = try await watcher.kinds.next { $0 == .discarded }
            }
            let replies = EventRecorder<String>()
            let id = try await ask(client, replies)
            await client.server.send(Self.large(id), to: .bot)
            #expect(try await replies.next { _ in true } == "300000")
            await client.server.send(Self.large(id), to: .bot)
            _ = try await watcher.kinds.next { $0 == .discarded }
        }
    }
}
