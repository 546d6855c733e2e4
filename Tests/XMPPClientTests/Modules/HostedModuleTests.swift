import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit
import XMPPTransport

@Suite("A module of a bot author")
struct HostedModuleTests {
    private let ann: BareJID
    private let phone: JID

    init() throws {
        ann = try BareJID("ann@example.net")
        phone = try JID("ann@example.net/phone")
    }

    private func bench(_ settings: Scripted.Settings, seesAccount: Bool = true) async throws -> ModuleBench {
        try await ModuleBench(
            Scripted.self, settings: settings,
            contacts: [ServerRosterItem(ann, subscription: seesAccount ? "both" : "to", name: "Ann")])
    }

    @Test("hears what contacts say in the order of the stream, one at a time")
    func order() async throws {
        let seen = EventRecorder<String>()
        let bench = try await bench(
            .init { event, _ in
                guard let body = event.body else { return }
                seen.record("begin \(body)")
                await Task.yield()
                seen.record("end \(body)")
            })
        for number in 0..<20 { await bench.server.say("\(number)", from: phone, to: bench.client.account) }
        await bench.settle()
        #expect(seen.all == (0..<20).flatMap { ["begin \($0)", "end \($0)"] })
        await bench.end()
    }

    @Test("keeps 256 events at most while a call runs; the oldest give way and are counted")
    func inbox() async throws {
        let (seen, gate) = (EventRecorder<String>(), Gate())
        let bench = try await bench(
            .init { event, _ in
                guard let body = event.body else { return }
                if body == "wait" { await gate.wait() }
                seen.record(body)
            })
        await bench.server.say("wait", from: phone, to: bench.client.account)
        try await gate.reached()
        for number in 0..<300 { await bench.server.say("\(number)", from: phone, to: bench.client.account) }
        await bench.time.settle()
        gate.open()
        await bench.settle()
        #expect(seen.all == ["wait"] + (44..<300).map(String.init))
        #expect(await bench.figures.dropped == 44)
        await bench.end()
    }

    @Test(
        "that does not return in five seconds gets nothing more until it does; the client stays online",
        .timeLimit(.minutes(1)))
    func stuck() async throws {
        let (seen, gate) = (EventRecorder<String>(), Gate())
        let bench = try await bench(
            .init { event, _ in
                guard let body = event.body else { return }
                if body == "wait" { await gate.wait() }
                seen.record(body)
            })
        for body in ["wait", "lost 1"] { await bench.server.say(body, from: phone, to: bench.client.account) }
        try await gate.reached()
        await bench.time.settle()
        bench.time.advance(by: .seconds(5))
        await bench.settle()
        #expect(await bench.client.hostedModules?.statuses.first?.state == .stuck)
        await bench.hear("lost 2", from: phone)
        #expect(await bench.client.address != nil)
        #expect(await bench.figures.dropped == 2)
        gate.open()
        _ = try await seen.next { $0 == "wait" }
        // It is running again behind the end of the call, and where its thread was late too, behind that one's return.
        let board = try #require(await bench.client.hostedModules)
        while board.statuses.first?.state == .stuck, !Task.isCancelled { await Task.yield() }
        await bench.hear("back", from: phone)
        #expect(seen.all == ["wait", "back"])
        #expect(await bench.client.hostedModules?.statuses.first?.state == .running)
        await bench.end()
    }

    @Test("that throws is counted, and hears the next event all the same")
    func errors() async throws {
        struct Wrong: Error {}
        let bench = try await bench(
            .init { event, context in
                guard case .message(let message, _) = event else { return }
                if message.body == "wrong" { throw Wrong() }
                try await context.reply(to: message, with: "right")
            })
        for body in ["wrong", "wrong", "right"] { await bench.hear(body, from: phone) }
        #expect(bench.said.map(\.body) == ["right"])
        #expect(await bench.figures.errors == 2)
        await bench.end()
    }

    @Test("answers the requests of its namespaces; what it leaves unanswered is refused as what nobody knows")
    func requests() async throws {
        let bench = try await bench(
            .init { event, context in
                guard case .request(let request) = event, request.iq.payload?.name == "ask" else { return }
                await context.answer(
                    request, with: .result(Element("answer", namespace: "urn:example:scripted")))
                await context.answer(request, with: .error(.badRequest))
            })
        for (name, sender, expected) in [
            ("ask", phone, "result"), ("other", phone, "error"), ("ask", try JID("eve@example.net/x"), "error"),
        ] {
            let payload = Element(name, namespace: "urn:example:scripted")
            var stanza = IQ(.get, to: nil, id: "q-\(name)-\(sender.bare.local ?? "")", payload: payload).element
            stanza[attribute: "from"] = sender.description
            await bench.server.send(
                String(decoding: stanza.serialized(inside: Namespace.client), as: UTF8.self), to: bench.client.account)
            await bench.settle()
            let answers = bench.server.received.all.map(\.element).filter {
                $0.name == "iq" && $0[attribute: "id"] == stanza[attribute: "id"]
            }
            #expect(answers.map { $0[attribute: "type"] } == [expected], "\(name) of \(sender)")
            if expected == "error" {
                #expect(answers.first?.first("error", Namespace.client)?.elements.first?.name == "service-unavailable")
            }
        }
        await bench.end()
    }

    @Test("is told nothing by who does not see the account's presence")
    func strangers() async throws {
        let seen = EventRecorder<String>()
        let bench = try await bench(
            .init { event, _ in if let body = event.body { seen.record(body) } }, seesAccount: false)
        await bench.hear("hello", from: phone)
        await bench.hear("hello", from: try JID("eve@example.net/x"))
        await bench.hear("own", from: JID(bench.client.account))
        #expect(seen.all == ["own"])
        await bench.end()
    }

    @Test("decides nothing about subscriptions, and sends no presence for everybody, nor what belongs to the stream")
    func limits() async throws {
        let seen = EventRecorder<String>()
        let there = JID(ann)
        let refused: [Element] =
            [PresenceType.subscribe, .subscribed, .unsubscribe, .unsubscribed].map { Presence($0, to: there).element }
            + [Presence(.available).element, Presence(.unavailable).element]
            + [
                Element(
                    "presence", namespace: Namespace.client, attributes: [.init("to", "@"), .init("type", "probe")]),
                Element("a", namespace: "urn:xmpp:sm:3", attributes: [.init("h", "9")]),
                Element("message", namespace: "urn:example:other"),
            ]
        let bench = try await bench(
            .init { event, context in
                guard event.body != nil else { return }
                for stanza in refused {
                    do throws(ClientError) {
                        // What is refused takes along what stands with it.
                        try await context.send([Message(to: there, body: "not this").element, stanza])
                        seen.record("sent \(stanza)")
                    } catch {
                        seen.record(error.code.name)
                    }
                }
                try await context.send(Presence(.available, to: there))
                try await context.send(Message(to: there, body: "this"))
            })
        await bench.hear("go", from: phone)
        #expect(seen.all == Array(repeating: "not_allowed", count: refused.count))
        #expect(bench.said.map(\.body) == ["this"])
        let presences = bench.server.received.all.map(\.element).filter { $0.matches("presence", Namespace.client) }
        #expect(presences.compactMap { $0[attribute: "to"] } == [ann.description])
        await bench.end()
    }

    @Test("hears a stanza in a stanza as part of what it stands in, and not as one of its own")
    func wrapped() async throws {
        let seen = EventRecorder<String>()
        let bench = try await bench(
            .init { event, _ in
                switch event {
                case .message(let message, let contact):
                    seen.record("\(message.body ?? "-") \(contact?.callName ?? "")")
                case .presence: seen.record("presence")
                case _: break
                }
            })
        let inner = "<message xmlns='jabber:client' from='ops@example.org'><body>accept 1</body></message>"
        for wrapper in ["received", "sent"] {
            await bench.server.send(
                "<message from='\(phone)'><\(wrapper) xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>"
                    + "\(inner)</forwarded></\(wrapper)></message>", to: bench.client.account)
        }
        await bench.settle()
        #expect(seen.all.filter { $0 != "presence" } == ["- Ann", "- Ann"])
        await bench.end()
    }

    @Test("has a life of its own by the clock that the test moves, and says goodbye at the end")
    func life() async throws {
        let seen = EventRecorder<String>()
        var settings = Scripted.Settings { event, _ in if case .online = event { seen.record("online") } }
        settings.run = { context in
            defer { seen.record("over") }
            while true {
                try await context.sleep(for: .seconds(60))
                seen.record("minute")
            }
        }
        settings.stop = { _ in seen.record("stop") }
        let bench = try await bench(settings)
        await bench.pass(.seconds(60))
        _ = try await seen.next { $0 == "minute" }
        await bench.end()
        #expect(seen.all == ["online", "minute", "over", "stop"])
    }

    @Test("asks, looks contacts up, and is refused once there is no session")
    func context() async throws {
        let seen = EventRecorder<String>()
        let bench = try await bench(
            .init { event, context in
                guard case .message = event else { return }
                let answer = try await context.request(
                    .get, to: JID(context.account.server), Element("ping", namespace: Namespace.ping))
                seen.record("\(answer == nil) \(await context.contact(try BareJID("ann@example.net"))?.callName ?? "")")
                seen.record("\(await context.contacts().count) \(await context.address?.bare == context.account)")
            })
        await bench.hear("go", from: phone)
        #expect(seen.all == ["true Ann", "1 true"])
        await bench.end()
    }
}
