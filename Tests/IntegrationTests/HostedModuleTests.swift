import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// A module of a bot author on real servers: its commands, its rooms, its receipts and its last word.
@Suite("A module of a bot author on real servers", .serialized)
struct HostedModuleTests {
    private struct Usher: ChatCommandProvider, CommandProvider, RoomGuest {
        struct Settings: Decodable, Sendable {
            var room: RoomSettings
            var heard = EventRecorder<String>()

            init(_ room: RoomSettings) { self.room = room }
            init(from decoder: any Decoder) throws { room = try RoomSettings(from: decoder) }
        }

        static let name = "usher"
        static let interests: ModuleInterests = [.receipts]
        let chatCommands = [ChatCommand("seat", arguments: "ROW", help: "finds a seat")]
        let offeredCommands = [OfferedCommand("seat", name: "Find a seat")]
        let settings: Settings
        var rooms: [RoomSettings] { [settings.room] }

        init(settings: Settings) { self.settings = settings }

        func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
            guard case .receipt(let receipt) = event else { return }
            settings.heard.record("receipt \(receipt.error == nil)")
        }

        func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String? {
            try await context.reply(to: call.message, with: "Row \(call.arguments.first ?? "?").", wantsReceipt: true)
            return nil
        }

        func answer(_ call: CommandCall, in context: ModuleContext) async throws -> CommandAnswer {
            guard let row = call.answers.first?.value("row") else {
                return .ask(DataForm(.form, title: "Seats", fields: [.text("row", "Row", isRequired: true)]))
            }
            return .done(notes: [CommandNote("Row \(row).")])
        }

        func handle(_ event: RoomEvent, in room: BareJID, context: ModuleContext) async throws {
            switch event {
            case .entered(let nickname, _): settings.heard.record("entered \(nickname)")
            case .message(let message):
                settings.heard.record("\(message.nickname ?? ""): \(message.body)")
                await context.answer(message, with: message.body)
            case .left, .occupant, .gone, .renamed, .subject, .refused: break
            }
        }

        func stop(in context: ModuleContext) async {
            await context.say("bye", in: settings.room.address)
            for contact in await context.contacts() where contact.seesAccount {
                try? await context.send(Message(to: JID(contact.jid), body: "bye"))
            }
        }
    }

    private func client(
        _ user: String, _ kind: ServerKind, _ change: (inout Client.Options) throws -> Void
    ) async throws -> Client {
        let server = try await Servers.shared.server(kind)
        try await server.addUser(user, at: Hosts.bots, password: "pw")
        var options = Client.Options()
        options.server = .init(host: "127.0.0.1", port: server.port)
        options.authorities = server.caFile
        try change(&options)
        return try Client(account: BareJID("\(user)@\(Hosts.bots)"), password: "pw", options: options)
    }

    /// A client that hosts the module, in a contact list of its own.
    private func bot(_ user: String, _ kind: ServerKind, _ settings: Usher.Settings) async throws -> Client {
        let account = try BareJID("\(user)@\(Hosts.bots)")
        return try await client(user, kind) { options in
            options.modules = {
                let roster = RosterModule(account: account) { _ in }
                let disco = DiscoModule { roster.mayKnow($0) }
                return [roster, disco, CapsModule(node: "urn:example:usher", disco: disco)]
            }
            options.host(Usher.self, settings: settings)
        }
    }

    @Test("its contact's client finds and runs its commands, and hears its last word", arguments: ServerKind.allCases)
    func commands(_ kind: ServerKind) async throws {
        let room = try BareJID("usher-\(kind)@rooms.\(Hosts.bots)")
        let settings = Usher.Settings(RoomSettings(room, nickname: "Usher"))
        let bot = try await bot("usher", kind, settings)
        let friend = try await client("usher-friend", kind) { options in
            options.resource = "phone"
            // Prosody tells of an approval only who has asked for the contact list.
            let own = try BareJID("usher-friend@\(Hosts.bots)")
            options.modules = { [RosterModule(account: own) { _ in }] }
        }
        let running = [Task { try await bot.run() }, Task { try await friend.run() }]
        let address = try await bot.online()
        try await friend.online()
        // Each sees the other.
        let heard = EventRecorder<Message>()
        let listening = Task { for await message in friend.messages { heard.record(message) } }
        try await befriend(friend, bot)

        let list = try await friend.request(.get, to: address, RequestedCommand.list())
        #expect(list.flatMap(DiscoPayload.items(in:))?.map(\.node) == ["seat"])
        var command = RequestedCommand(node: "seat")
        command.received(try #require(try await friend.request(.set, to: address, command.begin())))
        #expect(command.form?.title == "Seats")
        let step = try #require(command.step(.execute, command.form?.submission(["row": ["7"]])))
        command.received(try #require(try await friend.request(.set, to: address, step)))
        #expect(command.status == .completed && command.notes == [CommandNote("Row 7.")])

        try await friend.send(Message(to: address, id: "q1", body: "/seat 9"))
        let answer = try await heard.next { $0.body == "Row 9." }
        #expect(ReplyPayload.reply(in: answer)?.id == "q1")
        let receipt = try #require(ReceiptPayload.receipt(for: answer))
        try await friend.send(receipt)
        _ = try await settings.heard.next { $0 == "receipt true" }
        try await friend.send(Message(to: address, id: "q2", body: "/help"))
        _ = try await heard.next { $0.body == "What I know:\n/seat ROW – finds a seat\n/help – lists this" }

        // Who is no contact finds nothing.
        let stranger = try await client("usher-stranger", kind) { _ in }
        let third = Task { try await stranger.run() }
        try await stranger.online()
        await #expect(throws: ClientError.self) {
            try await stranger.request(.get, to: address, RequestedCommand.list())
        }
        await stranger.stop()
        try await third.value
        await bot.stop()
        _ = try await heard.next { $0.body == "bye" }
        await friend.stop()
        for task in running { try await task.value }
        listening.cancel()
    }

    /// Subscriptions both ways, by the bare stanzas.
    private func befriend(_ friend: Client, _ bot: Client) async throws {
        let presences = EventRecorder<Presence>()
        let asked = EventRecorder<Presence>()
        let tasks = [
            Task { for await presence in friend.presences { presences.record(presence) } },
            Task { for await presence in bot.presences { asked.record(presence) } },
        ]
        defer { for task in tasks { task.cancel() } }
        try await friend.send(Presence(.subscribe, to: JID(bot.account)))
        _ = try await asked.next { $0.type == .subscribe }
        try await bot.send(Presence(.subscribed, to: JID(friend.account)))
        _ = try await presences.next { $0.type == .subscribed }
        try await eventually("the bot to know its contact") {
            await bot.withModule(RosterModule.self) { $0.mayKnow(friend.account) } == true
        }
    }

    @Test(
        "two of them in a room answer a person, and then fall quiet; each says goodbye",
        arguments: ServerKind.allCases)
    func rooms(_ kind: ServerKind) async throws {
        let room = try BareJID("ushers-\(kind)@rooms.\(Hosts.bots)")
        let settings = (0..<2).map { _ in Usher.Settings(RoomSettings(room, nickname: "Usher")) }
        let bots = [
            try await bot("usher-one", kind, settings[0]), try await bot("usher-two", kind, settings[1]),
        ]
        var running: [Task<Void, any Error>] = []
        var names: [String] = []
        for (bot, settings) in zip(bots, settings) {
            running.append(Task { try await bot.run() })
            names.append(try await settings.heard.next { $0.hasPrefix("entered") })
        }
        #expect(names == ["entered Usher", "entered Usher_"])
        let events = EventRecorder<RoomEvent>()
        let guest = try await client("usher-guest", kind) { options in
            options.modules = { [RoomsModule([RoomSettings(room, nickname: "Guest")]) { events.record($1) }] }
        }
        running.append(Task { try await guest.run() })
        _ = try await events.next { if case .entered = $0 { true } else { false } }
        let id = await guest.withModule(RoomsModule.self) { $0.say("hello", in: room) }
        #expect(id != nil)
        func said() -> [RoomMessage] {
            events.all.compactMap { if case .message(let message) = $0, !message.isOwn { message } else { nil } }
        }
        try await eventually("both to answer") { Set(said().compactMap(\.nickname)) == ["Usher", "Usher_"] }
        // A round through the room behind the last that was said: nothing more comes.
        var count = -1
        while count != said().count {
            count = said().count
            for bot in bots + [guest] { try await bot.request(.get, Element("ping", namespace: Namespace.ping)) }
        }
        #expect(count <= 2 * ModuleContext.roomAnswersPerMinute)
        for bot in bots { await bot.stop() }
        for name in ["Usher", "Usher_"] {
            _ = try await events.next {
                if case .message(let message) = $0 { message.body == "bye" && message.nickname == name } else { false }
            }
            _ = try await events.next { if case .gone(let occupant) = $0 { occupant.nickname == name } else { false } }
        }
        await guest.stop()
        for task in running { try await task.value }
    }
}
