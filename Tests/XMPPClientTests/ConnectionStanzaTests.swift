import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// Stanzas over the limits, and the one answer to every request.
@Suite struct ConnectionStanzaTests {
    /// Too deep for a stanza, and short.
    private static let deep: String =
        String(repeating: "<a xmlns='urn:x'>", count: 70) + String(repeating: "</a>", count: 70)

    private func answers(_ client: TestedConnection, _ id: String) -> [Element] {
        client.server.received.all.map(\.element).filter { $0.name == "iq" && $0[attribute: "id"] == id }
    }

    @Test(
        "a request over the limits is handed over with its head alone, and the stream goes on",
        arguments: ["get", "set", "what", ""])
    func request(type: String) async throws {
        try await withClient { client in
            try await client.established()
            await client.server.send(
                "<iq type='\(type)' id='big' from='ann@example.net/x'>\(Self.deep)</iq>", to: .bot)
            await client.server.send("<presence from='ann@example.net'/>", to: .bot)
            _ = try await client.events.next { if case .received(.presence) = $0 { true } else { false } }
            await client.settle()
            let heads = client.events.all.compactMap { if case .overLimits(let iq) = $0 { iq } else { nil } }
            #expect(heads.map(\.from) == [try JID("ann@example.net/x")])
            #expect(heads.map(\.id) == ["big"])
            #expect(heads.allSatisfy { $0.element.children.isEmpty })
            // Only its owner knows who may be told what.
            #expect(answers(client, "big").isEmpty)
        }
    }

    @Test("an answer, a message or a presence over the limits is answered by nothing", arguments: ["result", "error"])
    func silent(type: String) async throws {
        try await withClient { client in
            try await client.established()
            await client.server.send(
                "<iq type='\(type)' id='big' from='ann@example.net/x'>\(Self.deep)</iq>"
                    + "<message id='big' from='ann@example.net/x'>\(Self.deep)</message>"
                    + "<presence id='big' from='ann@example.net/x'>\(Self.deep)</presence>", to: .bot)
            await client.server.send("<presence from='ann@example.net'/>", to: .bot)
            _ = try await client.events.next { if case .received(.presence) = $0 { true } else { false } }
            await client.settle()
            #expect(answers(client, "big").isEmpty)
        }
    }

    /// No addresses by RFC 7622, though servers of before may have such accounts.
    private static let noAddresses: [String] = [
        "@", "a b@example.net/x", "\u{1F600}@example.net", "\u{2163}@example.net/x", "ann@@x", "ann@example.net/",
    ]

    @Test(
        "a request from what is no address gets a stranger's one refusal, back to what was written, and is told",
        arguments: noAddresses,
        ["get", "set", "what"])
    func nameless(from: String, type: String) async throws {
        for payload in ["<ping xmlns='urn:xmpp:ping'/>", "<query xmlns='jabber:iq:roster'/>", "", Self.deep] {
            let watcher = Watcher()
            try await withClient(settings: { $0.observer = watcher }) { client in
                try await client.established()
                await client.server.send(
                    "<iq type='\(type)' id='n' from='\(from)'>\(payload)</iq><presence from='ann@example.net'/>",
                    to: .bot)
                _ = try await client.events.next { if case .received(.presence) = $0 { true } else { false } }
                await client.settle()
                let answers = answers(client, "n")
                #expect(answers.count == 1)
                #expect(answers.first?[attribute: "type"] == "error")
                #expect(answers.first?[attribute: "to"].map { Array($0.utf8) } == Array(from.utf8))
                #expect(answers.first?.first("error", Namespace.client)?.elements.first?.name == "service-unavailable")
                #expect(client.events.all.count { if case .nameless(.iq) = $0 { true } else { false } } == 1)
                #expect(watcher.kinds.all.count { $0 == .senderInvalid } == 1)
            }
        }
    }

    @Test(
        "what needs no answer, or has nowhere to send it, gets none, and is told all the same",
        arguments: [
            "<iq type='result' id='n' from='@'/>", "<iq type='error' id='n' from='@'/>", "<message id='n' from='@'/>",
            "<presence id='n' from='@'/>", "<presence type='subscribe' id='n' from='@'/>",
            "<presence type='subscribe' id='n' from='@'>(deep)</presence>",
            "<iq type='get' id='n' from=''><ping xmlns='urn:xmpp:ping'/></iq>",
            "<iq type='get' id='n' from='(longer than any address)'/>",
        ])
    func namelessUnanswered(xml: String) async throws {
        let xml = xml.replacing("(deep)", with: Self.deep)
            .replacing("(longer than any address)", with: String(repeating: "@", count: 3072))
        let watcher = Watcher()
        try await withClient(settings: { $0.observer = watcher }) { client in
            try await client.established()
            let before = client.server.received.all.count
            await client.server.send(xml + "<presence from='ann@example.net'/>", to: .bot)
            _ = try await client.events.next { if case .received(.presence) = $0 { true } else { false } }
            await client.settle()
            #expect(client.server.received.all.count == before)
            #expect(client.events.all.count { if case .received = $0 { true } else { false } } == 1)
            #expect(client.events.all.count { if case .nameless = $0 { true } else { false } } == 1)
            #expect(watcher.kinds.all.count { $0 == .senderInvalid } == 1)
        }
    }

    private final class Watcher: ConnectionObserver {
        let kinds = EventRecorder<ConnectionObservation.Kind>()
        func observed(_ event: ConnectionObservation, of account: BareJID) { kinds.record(event.kind) }
    }

    @Test("an answer to a request of ours is told as an error: nobody waits for it any longer")
    func answer() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.react { received in
                guard received.isIQ("get", "q", "urn:example:q") else { return .usual }
                let id = received.element[attribute: "id"] ?? ""
                return .send("<iq type='result' id='\(id)' from='bot@example.org'>\(Self.deep)</iq>")
            }
            let replies = EventRecorder<String>()
            let connection = client.connection
            await client.onLoop {
                let request = connection.request(.get, Element("q", namespace: "urn:example:q")) { reply in
                    if case .error(let error) = reply { replies.record(error.condition.name) }
                }
                connection.send([request].compactMap { $0 })
            }
            #expect(try await replies.next { _ in true } == "not-acceptable")
        }
    }

    @Test("a request to subscribe over the limits becomes one with its sender and no payload, at each of three logins")
    func subscribe() async throws {
        try await withClient(before: { await $0.behave { $0.streamManagement = .init() } }) { client in
            var current = client
            for login in 1...3 {
                try await current.established()
                await current.server.send(
                    "<presence type='subscribe' id='s1' from='ann@example.net'><status>x</status>\(Self.deep)</presence>",
                    to: .bot)
                let event = try await current.events.next { if case .received = $0 { true } else { false } }
                guard case .received(.presence(let presence)) = event else {
                    throw EventNeverCame(recorded: ["\(event)"])
                }
                #expect(presence.type == .subscribe)
                #expect(presence.from == (try JID("ann@example.net")))
                #expect(presence.id == "s1")
                #expect(presence.element.children.isEmpty)
                // It counts as any stanza.
                await current.server.requestAcknowledgement(of: .bot)
                await current.settle()
                #expect(await current.server.unacknowledgedStanzas(of: .bot) == 0)
                guard login < 3 else { break }
                let connection = current.connection
                await current.onLoop { connection.stop() }
                _ = await current.end
                current = try await client.another()
            }
            await current.finish()
        }
    }
}
