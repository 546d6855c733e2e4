import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

@Suite("Commands with forms of a module")
struct CommandProviderTests {
    private let phone: JID
    private let eve: JID

    init() throws { (phone, eve) = (try .of(.ann, "phone"), try .of(.eve, "x")) }

    private func withBot(
        groups: [String] = [], settings: AllRounder.Settings = .init(), _ body: (ModuleBench) async throws -> Void
    ) async throws {
        let contacts = [
            ServerRosterItem(.ann, subscription: "from", groups: groups), ServerRosterItem(.ally, subscription: "to"),
        ]
        let bench = try await ModuleBench(contacts: contacts) { options in
            options.host(AllRounder.self, settings: settings)
            options.host(Second.self, settings: .init())
        }
        try await body(bench)
        await bench.end()
    }

    private func ask(
        _ bench: ModuleBench, _ payload: Element, _ type: IQType = .set, from sender: JID, id: String
    ) async throws -> Element {
        var stanza = IQ(type, to: nil, id: id, payload: payload).element
        stanza[attribute: "from"] = sender.description
        await bench.server.send(
            String(decoding: stanza.serialized(inside: Namespace.client), as: UTF8.self), to: .bot)
        return try await bench.server.received.next { $0.isReply(to: id) }.element
    }

    private func list(_ bench: ModuleBench, _ sender: JID, id: String) async throws -> [String?]? {
        let answer = try await ask(bench, RequestedCommand.list(), .get, from: sender, id: id)
        return answer.elements.first.flatMap(DiscoPayload.items(in:))?.map(\.node)
    }

    @Test("are announced, and listed for those who may run them")
    func lists() async throws {
        try await withBot { bench in
            let info = try await ask(bench, DiscoPayload.info(), .get, from: phone, id: "i")
            let features = info.elements.first.flatMap(DiscoPayload.info(in:))?.features ?? []
            #expect(features.contains(Namespace.commands))
            #expect(features.contains("urn:xmpp:receipts") && features.contains("http://jabber.org/protocol/muc"))
            #expect(!features.contains { $0.contains("chatstates") })
            #expect(try await list(bench, phone, id: "1") == ["greet", "time"])
            for (id, stranger) in [("2", eve), ("3", try .of(.ally, "x"))] {
                #expect(try await list(bench, stranger, id: id) == nil)
            }
        }
        try await withBot(groups: ["Staff"]) { bench in
            let list = try await list(bench, phone, id: "4")
            #expect(list == ["greet", "staff", "time"])
        }
    }

    @Test("run stage by stage; what was filled in badly does not reach the module")
    func runs() async throws {
        try await withBot { bench in
            var command = RequestedCommand(node: "greet")
            func step(_ payload: Element?, _ id: String) async throws -> Element {
                let answer = try await ask(bench, try #require(payload), from: phone, id: id)
                if let payload = answer.first("command", Namespace.commands) { command.received(payload) }
                return answer
            }
            _ = try await step(command.begin(), "1")
            #expect(command.status == .executing && command.form?["name"]?.isRequired == true)
            let bad = try await step(command.step(.complete, DataForm(.submit)), "2")
            #expect(bad[attribute: "type"] == "error")
            _ = try await step(command.step(.execute, command.form?.submission(["name": ["Ann"]])), "3")
            #expect(command.status == .completed && command.notes == [CommandNote("Hello Ann.")])

            var time = RequestedCommand(node: "time")
            let answer = try await ask(bench, time.begin(), from: phone, id: "4")
            time.received(try #require(answer.elements.first))
            #expect(time.notes == [CommandNote("Noon.")])
        }
    }

    @Test("are nobody's but those whom they are for")
    func refuses() async throws {
        try await withBot { bench in
            for (id, sender, node, condition) in [
                ("1", eve, "greet", "service-unavailable"), ("2", try .of(.ally, "x"), "greet", "service-unavailable"),
                ("3", phone, "staff", "forbidden"), ("4", phone, "nothing", "item-not-found"),
            ] {
                let answer = try await ask(bench, RequestedCommand(node: node).begin(), from: sender, id: id)
                #expect(answer.first("error", Namespace.client)?.elements.first?.name == condition, "\(node)")
            }
        }
    }

    @Test("that throw, or come while the module is stuck, end as failed")
    func trouble() async throws {
        let gate = Gate()
        var settings = AllRounder.Settings()
        settings.gate = gate
        try await withBot(settings: settings) { bench in
            for (id, name) in [("1", "fail"), ("2", "wait")] {
                var command = RequestedCommand(node: "greet")
                let begun = try await ask(bench, command.begin(), from: phone, id: id)
                command.received(try #require(begun.elements.first))
                let step = try #require(command.step(.execute, command.form?.submission(["name": [name]])))
                guard name == "fail" else {
                    var stanza = IQ(.set, to: nil, id: "stuck", payload: step).element
                    stanza[attribute: "from"] = phone.description
                    let text = String(decoding: stanza.serialized(inside: Namespace.client), as: UTF8.self)
                    await bench.server.send(text, to: .bot)
                    // The call has its time from its begin, which is on another thread.
                    await gate.reached()
                    await bench.time.settle()
                    bench.time.advance(by: .seconds(5))
                    await bench.settle()
                    continue
                }
                let answer = try await ask(bench, step, from: phone, id: "s\(id)")
                command.received(try #require(answer.elements.first))
                #expect(command.status == .completed && command.notes.first?.kind == .error)
            }
            #expect(await bench.figures.errors == 1)
            var other = RequestedCommand(node: "greet")
            let answer = try await ask(bench, other.begin(), from: phone, id: "9")
            other.received(try #require(answer.elements.first))
            #expect(other.notes.first?.text == "This does not work at the moment; try later.")
            await gate.open()
            let late = try await bench.server.received.next { $0.isReply(to: "stuck") }.element
            #expect(late[attribute: "type"] == "result")
        }
    }
}
