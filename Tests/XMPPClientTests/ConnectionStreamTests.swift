import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// A connection that is online: requests, signs of life, and its ends.
@Suite struct ConnectionStreamTests {
    private static let server = JID(BareJID(preparedLocal: nil, preparedDomain: "example.org"))

    private func farewells(_ client: TestedConnection) -> Int {
        client.server.events.all.count { if case .streamClosed = $0 { true } else { false } }
    }

    private func isLost(_ end: SessionEnd) -> Bool {
        if case .lost = end.cause { true } else { false }
    }

    /// Sends a request, and records its replies as text.
    private func ask(_ client: TestedConnection, to recipient: JID?, _ replies: EventRecorder<String>) async {
        let connection = client.connection
        await client.onLoop {
            let stanza = connection.request(.get, to: recipient, Element("q", namespace: "urn:example:q")) { reply in
                switch reply {
                case .result(let payload): replies.record("result \(payload?.text ?? "")")
                case .error(let error): replies.record("error \(error.condition.name)")
                case .noReply: replies.record("none")
                }
            }
            connection.send([stanza].compactMap { $0 })
        }
    }

    // MARK: Requests

    @Test("a reply is taken only with the kind, the id and the sender of its request, and only once (A2, B002)")
    func replies() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
            let replies = EventRecorder<String>()
            await ask(client, to: try JID("ally@example.org"), replies)
            let request = try await client.server.received.next { $0.isIQ("get", "q", "urn:example:q") }
            let id = request.element[attribute: "id"] ?? ""
            func answer(_ type: String, _ from: String, _ text: String, _ id: String) async {
                await client.server.send(
                    "<iq type='\(type)' id='\(id)' \(from)><q xmlns='urn:example:q'>\(text)</q></iq>", to: .bot)
            }
            await answer("result", "from='mallory@example.net/e'", "forged", id)
            await answer("result", "from='ally@example.net'", "forged", id)
            await answer("result", "", "forged", id)
            await answer("result", "from='example.org'", "forged", id)
            await answer("result", "from='@'", "forged", id)
            await answer("result", "from='ally@example.org'", "other id", id + "0")
            await answer("result", "from='ALLY@Example.org'", "good", id)
            await answer("result", "from='ally@example.org'", "late", id)
            await answer("error", "from='ally@example.org'", "late", id)
            #expect(try await replies.next { _ in true } == "result good")
            // Whatever is asked behind it is answered behind it.
            let second = EventRecorder<String>()
            await client.server.react(nil)
            await ask(client, to: Self.server, second)
            #expect(try await second.next { _ in true } == "error service-unavailable")
            #expect(replies.all == ["result good"])
        }
    }

    @Test("a reply from a resource of the asked address is a stranger's")
    func replyFromResource() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
            let replies = EventRecorder<String>()
            await ask(client, to: nil, replies)
            let request = try await client.server.received.next { $0.isIQ("get", "q", "urn:example:q") }
            let id = request.element[attribute: "id"] ?? ""
            for from in ["from='bot@example.org/other'", "from='bot@example.org.evil.example'", "from='example.net'"] {
                await client.server.send(
                    "<iq type='result' id='\(id)' \(from)><q xmlns='urn:example:q'>forged</q></iq>", to: .bot)
            }
            await client.server.send("<iq type='result' id='\(id)' from='bot@example.org'/>", to: .bot)
            #expect(try await replies.next { _ in true } == "result ")
            #expect(replies.all.count == 1)
        }
    }

    @Test("a request without a reply is over after its time, and with the connection")
    func noReply() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
            let replies = EventRecorder<String>()
            await ask(client, to: nil, replies)
            _ = try await client.server.received.next { $0.isIQ("get", "q", "urn:example:q") }
            await client.pass(.seconds(61))
            #expect(replies.all == ["none"])
            await ask(client, to: nil, replies)
            await client.server.dropLink(of: .bot)
            _ = await client.end
            #expect(replies.all == ["none", "none"])
            // And nothing is sent on a connection that is over.
            await ask(client, to: nil, replies)
            #expect(replies.all == ["none", "none", "none"])
        }
    }

    @Test("more requests than may be outstanding are refused, not queued")
    func manyRequests() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.react { $0.element.name == "iq" ? .nothing : .usual }
            let replies = EventRecorder<String>()
            let connection = client.connection
            await client.onLoop {
                for _ in 0..<1030 {
                    _ = connection.request(.get, Element("q", namespace: "urn:example:q")) { _ in
                        replies.record("none")
                    }
                }
            }
            #expect(replies.all.count == 6)
            await client.server.dropLink(of: .bot)
            _ = await client.end
            #expect(replies.all.count == 1030)
        }
    }

    // MARK: What arrives

    @Test("all that one read brought is handed over in order, and its end is told once; white space is nothing (B042)")
    func reads() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.send(" \n<presence from='a@example.net'/> <message from='b@example.net'/>\n ", to: .bot)
            _ = try await client.events.next { if case .received(.message) = $0 { true } else { false } }
            await client.loop.settle()
            let names = client.events.all.compactMap { event -> String? in
                switch event {
                case .received(let stanza): stanza.element.name
                case .readEnded: "."
                case .progressed, .established, .resumed, .overLimits, .nameless, .acknowledged, .tokenExpired: nil
                }
            }
            #expect(names.suffix(3) == ["presence", "message", "."])
        }
    }

    @Test("what is no stanza is passed over, and the stream goes on")
    func noStanza() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.send(
                "<r xmlns='urn:xmpp:sm:3'/><x:presence xmlns:x='urn:other' type='subscribe' from='a@b.c'/>", to: .bot)
            await client.server.send("<presence from='a@example.net'/>", to: .bot)
            _ = try await client.events.next { if case .received(.presence) = $0 { true } else { false } }
            #expect(client.events.all.count { if case .received = $0 { true } else { false } } == 1)
        }
    }

    @Test(
        "XML that a stream must not hold ends it with a stream error and one closing tag",
        arguments: ["<presence", "<a></b>", "<!-- -->", "<!DOCTYPE x>", "<?pi?>", "<x:a/>", "&nope;"])
    func badXML(text: String) async throws {
        try await withClient { client in
            try await client.established()
            await client.server.send(text == "<presence" ? "<presence <" : text, to: .bot)
            let end = await client.end
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.retry == .retry)
            await client.loop.settle()
            #expect(client.server.received.all.contains { $0.element.matches("error", Namespace.streams) })
            #expect(farewells(client) == 1)
        }
    }

    // MARK: Ends

    @Test("the server closes the stream in order: it is answered once, and lost (B045)")
    func closedByServer() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.closeStream(of: .bot)
            let end = await client.end
            #expect(isLost(end))
            await client.loop.settle()
            #expect(farewells(client) == 1)
        }
    }

    @Test("the server ends TCP, or the link breaks: lost (B045)", arguments: [true, false])
    func endOfTCP(inOrder: Bool) async throws {
        try await withClient { client in
            try await client.established()
            if inOrder {
                await client.server.endConnection(of: .bot)
            } else {
                await client.server.dropLink(of: .bot)
            }
            #expect(isLost(await client.end))
        }
    }

    @Test(
        "a stream error ends it, answered by one closing tag (B045)",
        arguments: [
            ("system-shutdown", SessionError.RetryAdvice.retry), ("conflict", .retryWithNewResource),
            ("host-gone", .park),
            ("see-other-host", .retry), ("reset", .retry), ("never-heard-of", .retry),
        ])
    func streamError(condition: String, retry: SessionError.RetryAdvice) async throws {
        try await withClient { client in
            try await client.established()
            await client.server.sendStreamError(condition, to: .bot)
            let end = await client.end
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.code == .streamError)
            #expect(error.retry == retry)
        }
    }

    @Test("stopping says goodbye once and waits for the server's goodbye")
    func stopped() async throws {
        try await withClient { client in
            try await client.established()
            let connection = client.connection
            await client.onLoop {
                connection.stop()
                connection.stop()
            }
            guard case .stopped = await client.end.cause else {
                Issue.record("another end")
                return
            }
            await client.loop.settle()
            #expect(farewells(client) == 1)
        }
    }

    @Test("stopping does not wait for a goodbye that never comes")
    func stoppedAlone() async throws {
        try await withClient(before: { await $0.behave { $0.answersClosing = false } }) { client in
            try await client.established()
            let connection = client.connection
            await client.onLoop { connection.stop() }
            _ = try await client.server.events.next { if case .streamClosed = $0 { true } else { false } }
            await client.pass(.seconds(3))
            guard case .stopped = await client.end.cause else {
                Issue.record("another end")
                return
            }
        }
    }

    // MARK: Signs of life

    @Test(
        "after silence the server is pinged; its answer, an error too, keeps the connection", arguments: [true, false])
    func ping(answersWell: Bool) async throws {
        try await withClient { client in
            try await client.established()
            if !answersWell {
                await client.server.react { received in
                    guard received.isIQ("get", "ping", Namespace.ping) else { return .usual }
                    let id = received.element[attribute: "id"] ?? ""
                    return .send("<iq type='error' id='\(id)' from='example.org'/>")
                }
            }
            for _ in 0..<3 {
                await client.pass(.seconds(301))
                _ = try await client.server.received.next { $0.isIQ("get", "ping", Namespace.ping) }
                await client.loop.settle()
                await client.pass(.seconds(26))
            }
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
        }
    }

    @Test("a server that does not answer the ping is given up")
    func noPong() async throws {
        try await withClient { client in
            try await client.established()
            await client.server.behave { $0.answersPings = false }
            await client.pass(.seconds(300))
            _ = try await client.server.received.next { $0.isIQ("get", "ping", Namespace.ping) }
            await client.pass(.seconds(25))
            #expect(isLost(await client.end))
        }
    }

    @Test("white space is a sign of life: no ping is needed (B042)")
    func whiteSpaceIsLife() async throws {
        try await withClient { client in
            try await client.established()
            for _ in 0..<6 {
                await client.pass(.seconds(299))
                await client.server.send(" ", to: .bot)
                await client.loop.settle()
                await client.loop.settle()
            }
            #expect(!client.server.received.all.contains { $0.isIQ("get", "ping", Namespace.ping) })
        }
    }
}
