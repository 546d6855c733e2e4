import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

@Suite("Commands in chat")
struct ChatCommandTests {
    private let phone: JID
    private let eve: JID

    init() throws { (phone, eve) = (try .of(.ann, "phone"), try .of(.eve, "x")) }

    private func withBot(
        subscription: String = "both", groups: [String] = [], settings: AllRounder.Settings = .init(),
        second: Second.Settings? = nil, _ body: (ModuleBench) async throws -> Void
    ) async throws {
        let ann = ServerRosterItem(.ann, subscription: subscription, groups: groups)
        let bench = try await ModuleBench(contacts: [ann]) { options in
            options.host(AllRounder.self, settings: settings)
            if let second { options.host(Second.self, settings: second) }
        }
        try await body(bench)
        await bench.end()
    }

    @Test("help lists what all modules have for whoever asks, each word once")
    func help() async throws {
        for (groups, secret) in [([], ""), (["Staff"], "/secret – is for staff\n")] {
            try await withBot(groups: groups, second: .init()) { bench in
                await bench.hear("/help", from: phone)
                #expect(
                    bench.said.map(\.body) == [
                        "What I know:\n/say WORDS – says it\n\(secret)/fail – fails\n/wait – takes long\n"
                            + "/time – says the time\n/help – lists this"
                    ])
            }
        }
    }

    @Test("a command goes to the module that has it, as an answer; nobody else hears of it")
    func commands() async throws {
        let (settings, second) = (AllRounder.Settings(), Second.Settings())
        try await withBot(settings: settings, second: second) { bench in
            await bench.hear("/say one  two", from: phone)
            await bench.hear("  /TIME", from: phone)
            await bench.hear("/say", from: phone)
            await bench.hear("/secret", from: phone)
            await bench.hear("/dance now", from: phone)
            #expect(
                bench.said.map(\.body) == [
                    "one two", "second time", "I do not know /secret. /help lists what I know.",
                    "I do not know /dance. /help lists what I know.",
                ])
            #expect(bench.said.allSatisfy { $0.isReply && $0.to == phone && $0.id != nil })
            await bench.hear("plain", from: phone)
            await bench.hear("/etc/passwd", from: phone)
            #expect(settings.heard.all == ["message plain", "message /etc/passwd"])
            #expect(second.heard.all == ["plain", "/etc/passwd"])
        }
    }

    @Test(
        "only contacts that see the account, and its own other clients, are answered",
        arguments: ["from", "both", "to"])
    func audience(subscription: String) async throws {
        try await withBot(subscription: subscription) { bench in
            await bench.hear("/help", from: phone)
            await bench.hear("/help", from: eve)
            await bench.hear("/say own", from: try .of(.bot, "phone"))
            let replies = bench.said.compactMap { $0.to?.bare }
            #expect(replies == (subscription == "to" ? [] : [.ann]) + [.bot])
        }
    }

    @Test("no command is an answer, said in a room, or an error; and one person gets twenty answers a minute")
    func bounds() async throws {
        try await withBot { bench in
            var question = Message(to: phone, id: "q", body: "x")
            question.from = phone
            await bench.hear(try #require(Message(replyTo: question, body: "/help")), from: phone)
            for type in [MessageType.groupchat, .headline, .error] {
                await bench.hear(Message(type, to: phone, id: "m", body: "/help"), from: phone)
            }
            #expect(bench.said.isEmpty)
            for _ in 0..<25 { await bench.hear("/help", from: phone) }
            #expect(bench.said.count == ChatCommand.answersPerMinute)
            await bench.pass(.seconds(61))
            await bench.hear("/help", from: phone)
            #expect(bench.said.count == ChatCommand.answersPerMinute + 1)
        }
    }

    @Test("two bots with tables fall quiet, also where nothing says what is an answer")
    func pair() async throws {
        let server = try ScriptedServer()
        var benches: [ModuleBench] = []
        for (own, other) in [(BareJID.bot, BareJID.ann), (.ann, .bot)] {
            let contact = ServerRosterItem(other, subscription: "both")
            benches.append(
                try await ModuleBench(
                    AllRounder.self, settings: .init(), account: own, contacts: [contact], server: server))
        }
        for body in ["/help", "/dance", "/say /say /say x", "/fail"] {
            let before = benches.map(\.said.count).reduce(0, +)
            await benches[0].hear(Message(to: JID(.bot), body: body), from: try .of(.ann, "by-hand"))
            for _ in 0..<30 { for bench in benches { await bench.settle() } }
            #expect(benches.map(\.said.count).reduce(0, +) - before <= 10, "\(body)")
        }
        for bench in benches { await bench.end() }
        server.stop()
    }

    @Test("one that throws, or comes while the module is stuck, is answered with that")
    func trouble() async throws {
        let gate = Gate()
        var settings = AllRounder.Settings()
        settings.gate = gate
        try await withBot(settings: settings) { bench in
            await bench.hear("/fail", from: phone)
            #expect(bench.said.last?.body == "/fail did not work.")
            #expect(await bench.figures.errors == 1)
            await bench.server.say("/wait", from: phone, to: .bot)
            await bench.server.say("/say x", from: phone, to: .bot)
            // The call has its time from its begin, which is on another thread.
            await gate.reached()
            await bench.time.settle()
            bench.time.advance(by: .seconds(5))
            await bench.settle()
            #expect(bench.said.last?.body == "/say does not work at the moment; try later.")
            await bench.hear("/say y", from: phone)
            #expect(bench.said.last?.body == "/say does not work at the moment; try later.")
            #expect(bench.said.count == 3)
            await gate.open()
            _ = try await bench.server.received.next { Message($0.element)?.body == "done" }
        }
    }
}
