import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Commands and rooms on real servers.
@Suite("Commands and rooms", .serialized)
struct ServiceConversationTests {
    private func client(
        _ user: String, _ kind: ServerKind, _ modules: @escaping @Sendable () -> [any SessionModule]
    ) async throws -> Client {
        let server = try await Servers.shared.server(kind)
        try await server.addUser(user, at: Hosts.bots, password: "pw")
        var options = Client.Options()
        options.server = .init(host: "127.0.0.1", port: server.port)
        options.authorities = server.caFile
        options.resource = "bot"
        options.modules = modules
        return try Client(account: BareJID("\(user)@\(Hosts.bots)"), password: "pw", options: options)
    }

    /// Greets whom it is told, once that is confirmed.
    private static let greet = AdHocCommand(
        "greet", name: "Greet somebody", mayRun: { $0.local == "commands" }
    ) {
        call, answer in
        switch call.answers.count {
        case 0: answer(.ask(DataForm(.form, fields: [.text("name", "Name", isRequired: true)]), .first))
        case 1: answer(.ask(DataForm(.form, fields: [.flag("sure", "Sure?", false)]), .last))
        case _:
            let name = call.answers.first?.value("name") ?? ""
            answer(
                call.answers.last?["sure"]?.flag == true
                    ? .done(notes: [CommandNote("Hello, \(name)!")]) : .failed("Not sure."))
        }
    }

    @Test(
        "Another client of the account finds a command and runs it, stage by stage",
        arguments: ServerKind.allCases)
    func commands(_ kind: ServerKind) async throws {
        let account = try BareJID("commands@\(Hosts.bots)")
        let bot = try await client("commands", kind) {
            let mayKnow: (BareJID?) -> Bool = { $0 == nil || $0 == account || $0 == account.server }
            let disco = DiscoModule(mayKnow: mayKnow)
            return [
                disco, CapsModule(node: "urn:example:bot", disco: disco),
                CommandsModule([Self.greet], mayKnow: mayKnow),
            ]
        }
        let running = Task { try await bot.run() }
        let address = try await bot.online().description
        let server = try await Servers.shared.server(kind)
        let phone = try await Guest.login(
            account.description, password: "pw", to: server, resource: "phone")
        let list = try await phone.request("get", to: address, RequestedCommand.list())
        let items = list.elements.first.flatMap(DiscoPayload.items(in:)) ?? []
        #expect(items == [DiscoItem(jid: address, node: "greet", name: "Greet somebody")])

        var command = RequestedCommand(node: "greet")
        func send(_ payload: Element?) async throws {
            let reply = try await phone.request("set", to: address, try #require(payload))
            let isTaken = command.received(try #require(reply.elements.first))
            #expect(isTaken)
        }
        try await send(command.begin())
        #expect(command.actions == .first)
        await #expect(throws: HarnessError.self) {
            try await send(command.step(.next, DataForm(.submit)))
        }
        try await send(command.step(.next, command.form?.submission(["name": ["Ünal"]])))
        try await send(command.step(.previous))
        try await send(command.step(.execute, command.form?.submission(["name": ["Ann"]])))
        #expect(command.actions == .last)
        try await send(command.step(.complete, command.form?.submission(["sure": ["1"]])))
        #expect(command.status == .completed && command.notes == [CommandNote("Hello, Ann!")])
        phone.leave()
        await bot.stop()
        try await running.value
    }

    @Test(
        "Two bots meet in a room, under two names; one is shown the door and the other hears of it",
        arguments: ServerKind.allCases)
    func rooms(_ kind: ServerKind) async throws {
        let room = try BareJID("den@rooms.\(Hosts.bots)")
        func bot(_ user: String) async throws -> (Client, EventRecorder<RoomEvent>) {
            let events = EventRecorder<RoomEvent>()
            let bot = try await client(user, kind) {
                [RoomsModule([RoomSettings(room, nickname: "Bot")]) { events.record($1) }]
            }
            return (bot, events)
        }
        let ((first, heard), (second, heardToo)) = (
            try await bot("room-one"), try await bot("room-two")
        )
        let running = Task { try await first.run() }
        let entered = try await heard.next { if case .entered = $0 { true } else { false } }
        #expect(entered == .entered(nickname: "Bot", isNew: true))
        let other = Task { try await second.run() }
        let enteredToo = try await heardToo.next { if case .entered = $0 { true } else { false } }
        #expect(enteredToo == .entered(nickname: "Bot_", isNew: false))
        _ = try await heard.next {
            if case .occupant(let occupant) = $0 { occupant.nickname == "Bot_" } else { false }
        }

        let id = await first.withModule(RoomsModule.self) { $0.say("hello", in: room) }
        for (events, isOwn) in [(heard, true), (heardToo, false)] {
            guard
                case .message(let message) = try await events.next(where: {
                    if case .message = $0 { true } else { false }
                })
            else { throw HarnessError("no message") }
            #expect(message.body == "hello" && message.nickname == "Bot" && message.isOwn == isOwn)
            #expect(message.id == id && !message.isHistory && message.sender?.affiliation == .owner)
        }
        // Whoever made the room may throw others out.
        let item = Element(
            "item", namespace: "http://jabber.org/protocol/muc#admin",
            attributes: [.init("nick", "Bot_"), .init("role", "none")])
        let kick = Element(
            "query", namespace: "http://jabber.org/protocol/muc#admin", children: [.element(item)])
        try await first.request(.set, to: JID(room), kick)
        let end = try await heardToo.next { if case .left = $0 { true } else { false } }
        #expect(end == .left(RoomEnd(.kicked)))
        _ = try await heard.next {
            if case .gone(let occupant) = $0 { occupant.nickname == "Bot_" } else { false }
        }
        // It may come back, and the one who stays is asked whether it is still in: it is.
        let isIn = await second.withModule(RoomsModule.self) {
            $0.enter(RoomSettings(room, nickname: "Again"))
        }
        #expect(isIn == true)
        _ = try await heardToo.next { $0 == .entered(nickname: "Again", isNew: false) }
        await second.withModule(RoomsModule.self) { $0.leave(room) }
        _ = try await heard.next {
            if case .gone(let occupant) = $0 { occupant.nickname == "Again" } else { false }
        }
        for bot in [first, second] { await bot.stop() }
        try await running.value
        try await other.value
    }
}
