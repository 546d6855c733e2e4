import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// What strangers send to a live account.
@Suite struct ForgeryTests {
    private static let setup = { @Sendable (server: ScriptedServer) async -> Void in
        await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both")])
    }

    /// What the client sends back for something, told by what comes before its answer to the server's ping.
    private func answers(_ world: World, to xml: String) async throws -> [Element] {
        let before = world.server.received.all.count
        await world.server.send(xml, to: .bot)
        try await world.server.barrier(.bot)
        return world.server.received.all.dropFirst(before).map(\.element).filter { element in
            element[attribute: "id"]?.hasPrefix("barrier-") != true
        }
    }

    @Test(
        "a forged roster push changes nothing, and is refused as anything unknown is (A1, B001)",
        arguments: [
            "mallory@example.net/e", "example.net", "example.org", "bot@example.org/phone", "bot@example.org/doorward",
            "bot@example.org.example.net", "@",
        ])
    func forgedPush(from: String) async throws {
        try await inWorld(policy: .acceptAll, before: Self.setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            let before = await world.service.roster(of: .bot)
            for item in [
                "<item jid='mallory@example.net' subscription='both'/>",
                "<item jid='ally@example.org' subscription='remove'/>", "",
            ] {
                let push = "<iq type='set' id='x1' from='\(from)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>"
                let unknown = "<iq type='set' id='x1' from='\(from)'><query xmlns='urn:example:unknown'/></iq>"
                let answers = try await answers(world, to: push)
                #expect(answers == (try await self.answers(world, to: unknown)))
                #expect(answers.count == 1)
            }
            #expect(await world.service.roster(of: .bot) == before)
            #expect(try await world.history().count == 1)
        }
    }

    @Test(
        "a request to be added from what is no address leaves a trace, and no request",
        arguments: ["@", "a b@example.net"])
    func nameless(from: String) async throws {
        try await inWorld(policy: .acceptAll) { world in
            try await world.online()
            #expect(try await answers(world, to: "<presence type='subscribe' from='\(from)'/>") == [])
            _ = try await world.events.next { if case .nameless(.bot, from) = $0 { true } else { false } }
            // Nothing else is worth a line.
            #expect(try await answers(world, to: "<message from='\(from)'/><presence from='\(from)'/>") == [])
            #expect(world.events.all.count { if case .nameless = $0 { true } else { false } } == 1)
            #expect(try await world.history().isEmpty)
        }
    }

    @Test("the account's own pushes are applied and answered (B003)", arguments: ["", "from='BOT@Example.org'"])
    func genuinePush(from: String) async throws {
        try await inWorld(before: Self.setup) { world in
            try await world.online()
            let push =
                "<iq type='set' id='x1' \(from)><query xmlns='jabber:iq:roster'>"
                + "<item jid='new@example.net' subscription='to'/></query></iq>"
            let answers = try await answers(world, to: push)
            #expect(answers.map { $0[attribute: "type"] } == ["result"])
            #expect(answers.map { $0[attribute: "id"] } == ["x1"])
            #expect(await world.service.roster(of: .bot)?.items.map(\.jid) == [.ally, .new])
            let status = try await world.service.status()
            #expect(status.accounts.first?.contacts == 2)
        }
    }

    @Test("a forged push does not confirm an accept that is on its way")
    func forgedConfirmation() async throws {
        try await inWorld(policy: .acceptAll) { world in
            try await world.online()
            await world.server.react { received in
                received.element[attribute: "type"] == "subscribed" || received.isIQ("get", "ping", Namespace.ping)
                    ? .nothing : .usual
            }
            await world.server.ask(.bot, from: .new)
            _ = try await world.server.received.next { $0.isPresence("subscribed", to: "new@example.net") }
            await world.server.send(
                "<iq type='set' id='x1' from='new@example.net/e'><query xmlns='jabber:iq:roster'>"
                    + "<item jid='new@example.net' subscription='from'/></query></iq>", to: .bot)
            try await world.quiet()
            #expect(try await world.history().map(\.state) == [.sent])
        }
    }

    @Test(
        "an iq request gets exactly the answer it must have (B043)",
        arguments: [
            (
                "<iq type='get' id='q1' from='ally@example.org/x'><query xmlns='urn:example:unknown'/></iq>",
                "error service-unavailable ally@example.org/x"
            ),
            (
                "<iq type='set' id='q1' from='stranger@example.net/x'><query xmlns='urn:example:unknown'/></iq>",
                "error service-unavailable stranger@example.net/x"
            ),
            ("<iq type='get' id='q1'><ping xmlns='urn:xmpp:ping'/></iq>", "result - -"),
            ("<iq type='get' id='q1' from='example.org'><ping xmlns='urn:xmpp:ping'/></iq>", "result - example.org"),
            (
                "<iq type='get' id='q1' from='ally@example.org/x'><ping xmlns='urn:xmpp:ping'/></iq>",
                "result - ally@example.org/x"
            ),
            (
                "<iq type='get' id='q1' from='stranger@example.net/x'><ping xmlns='urn:xmpp:ping'/></iq>",
                "error service-unavailable stranger@example.net/x"
            ),
            (
                "<iq type='get' id='q1' from='evil.example'><ping xmlns='urn:xmpp:ping'/></iq>",
                "error service-unavailable evil.example"
            ),
            (
                "<iq type='get' id='q1' from='stranger@example.net/x'>"
                    + "<query xmlns='http://jabber.org/protocol/disco#info'/></iq>",
                "error service-unavailable stranger@example.net/x"
            ),
            (
                "<iq type='get' from='ally@example.org/x'><query xmlns='urn:example:unknown'/></iq>",
                "error bad-request ally@example.org/x"
            ),
            (
                "<iq type='banana' id='q1' from='ally@example.org/x'><q xmlns='urn:x'/></iq>",
                "error bad-request ally@example.org/x"
            ),
            ("<iq type='get' id='q1' from='ally@example.org/x'/>", "error bad-request ally@example.org/x"),
            ("<iq type='result' id='q1' from='ally@example.org/x'/>", ""),
            ("<iq type='result' from='ally@example.org/x'><query xmlns='jabber:iq:roster'/></iq>", ""),
            ("<iq type='error' id='q1' from='ally@example.org/x'/>", ""),
            ("<iq type='get' id='q1' from='@'><ping xmlns='urn:xmpp:ping'/></iq>", "error service-unavailable @"),
            ("<iq type='result' id='q1' from='@'/>", ""),
            ("<message from='ally@example.org' type='chat'><body>hello</body></message>", ""),
            ("<message from='ally@example.org' type='error'/>", ""),
            ("<presence from='ally@example.org/x'/>", ""),
            ("<r xmlns='urn:xmpp:sm:3'/>", ""),
            (" \n ", ""),
        ])
    func requests(xml: String, expected: String) async throws {
        try await inWorld(before: Self.setup) { world in
            try await world.online()
            let answers = try await answers(world, to: xml).map { answer in
                let condition = answer.first("error", Namespace.client)?.elements.first?.name ?? "-"
                return "\(answer[attribute: "type"] ?? "") \(condition) \(answer[attribute: "to"] ?? "-")"
            }
            #expect(answers == (expected.isEmpty ? [] : [expected]))
        }
    }

    /// Requests with every fault that there is.
    private static let faulty = {
        let deep = String(repeating: "<a xmlns='urn:x'>", count: 70) + String(repeating: "</a>", count: 70)
        let payloads = [
            "<query xmlns='http://jabber.org/protocol/disco#info'/>", "<ping xmlns='urn:xmpp:ping'/>",
            "<query xmlns='jabber:iq:version'/>", "<query xmlns='jabber:iq:last'/>", "<vCard xmlns='vcard-temp'/>",
            "<query xmlns='jabber:iq:roster'/>",
            "<query xmlns='jabber:iq:roster'><item jid='a@example.net' subscription='both'/></query>",
            "<block xmlns='urn:xmpp:blocking'><item jid='ally@example.org'/></block>",
            "<unblock xmlns='urn:xmpp:blocking'/>", "<blocklist xmlns='urn:xmpp:blocking'/>", "", "text",
            "<a xmlns='urn:a'/><b xmlns='urn:b'/>", deep, "<q xmlns='urn:q'>\(deep)</q>",
        ]
        return payloads.flatMap { payload in
            ["type='get'", "type='set'", "type='what'", "type=''", ""].map { ($0, payload) }
        }
    }()

    @Test("whatever a stranger asks, and however badly, it gets the one refusal, known to us or not in the same bytes")
    func strangers() async throws {
        let before = { @Sendable (server: ScriptedServer) async -> Void in
            await server.add(
                .bot, password: "secret",
                roster: [
                    ServerRosterItem(.ally, subscription: "both"),
                    ServerRosterItem(.of("to"), subscription: "to"),
                    ServerRosterItem(.of("none"), subscription: "none"),
                ])
        }
        try await inWorld(before: before) { world in
            try await world.online()
            await world.server.ask(.bot, from: JID(BareJID.of("pending")))
            try await world.until("it is on the desk") { try await !world.pending().isEmpty }
            for (type, payload) in Self.faulty {
                for id in ["id='q1'", ""] {
                    func said(_ local: String) async throws -> [[UInt8]] {
                        let from = "\(local)@example.net/x"
                        let xml = "<iq \(type) \(id) from='\(from)'>\(payload)</iq>"
                        return try await answers(world, to: xml).map { answer in
                            var answer = answer
                            #expect(answer[attribute: "to"] == from)
                            answer[attribute: "to"] = nil
                            return answer.serialized(inside: Namespace.client)
                        }
                    }
                    let first = try await said("unknown")
                    let refusal = String(decoding: first.first ?? [], as: UTF8.self)
                    #expect(first.count == 1, "\(type) \(payload)")
                    #expect(refusal.contains("service-unavailable"), "\(type) \(payload): \(refusal)")
                    for local in ["pending", "to", "none"] { #expect(try await said(local) == first) }
                }
            }
            #expect(await world.service.roster(of: .bot)?.items.count == 3)
        }
    }

    @Test("a contact who sees us is told what is wrong")
    func contacts() async throws {
        try await inWorld(before: Self.setup) { world in
            try await world.online()
            for (type, payload) in Self.faulty {
                let answers = try await answers(
                    world, to: "<iq \(type) id='q1' from='ally@example.org/x'>\(payload)</iq>")
                #expect(answers.count == 1)
                let condition = answers.first?.first("error", Namespace.client)?.elements.first?.name
                let isAnswered = payload.contains("xmpp:ping") || payload.contains("disco#info")
                let isGood = isAnswered && type == "type='get'"
                #expect((condition == nil) == isGood, "\(type) \(payload): \(condition ?? "")")
                if payload.contains("<a xmlns='urn:x'>") { #expect(condition == "not-acceptable") }
                if payload.isEmpty { #expect(condition == "bad-request") }
            }
        }
    }

    @Test("white space between two requests in one read means nothing (B042)")
    func whiteSpace() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.send(
                " \n<presence type='subscribe' from='a@example.net'/>\n\n \t"
                    + "<presence type='subscribe' from='b@example.net'/> ", to: .bot)
            _ = try await world.events.next { $0.isDecided(.of("b")) }
            #expect(try await world.pending().map(\.contact) == [.of("a"), .of("b")])
        }
    }
}
