import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// A bot with all that a module can have; what it heard is in its settings' recorder.
struct AllRounder: ChatCommandProvider, CommandProvider, RoomGuest {
    struct Settings: Decodable, Sendable {
        var rooms: [RoomSettings] = []
        var heard = EventRecorder<String>()
        var farewell: String?
        var gate: Gate?

        init(rooms: [RoomSettings] = [], farewell: String? = nil) { (self.rooms, self.farewell) = (rooms, farewell) }
        init(from decoder: any Decoder) throws {}
    }

    struct Wrong: Error {}

    static let name = "all-rounder"
    static let interests: ModuleInterests = [.messages, .receipts]

    let settings: Settings
    let chatCommands = [
        ChatCommand("say", arguments: "WORDS", help: "says it"),
        ChatCommand("secret", help: "is for staff", for: .groups(["Staff"])),
        ChatCommand("/Fail", help: "fails"), ChatCommand("wait", help: "takes long"),
    ]
    let offeredCommands = [
        OfferedCommand("greet", name: "Greet"), OfferedCommand("staff", name: "For staff", for: .groups(["Staff"])),
    ]
    var rooms: [RoomSettings] { settings.rooms }

    init(settings: Settings) { self.settings = settings }

    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        switch event {
        case .message(let message, _):
            settings.heard.record("message \(message.body ?? "")")
            if message.body == "ask" {
                let id = try await context.reply(to: message, with: "asked", wantsReceipt: true)
                settings.heard.record("asked \(id ?? "")")
            }
            if message.body == "who", let sender = message.from {
                let resources = await context.resources(of: sender.bare)
                let words = resources.map { address, presence in
                    "\(address.resource ?? "") \(presence.idleSince?.milliseconds ?? 0)"
                }
                settings.heard.record(words.joined(separator: ", "))
            }
        case .receipt(let receipt):
            settings.heard.record("receipt \(receipt.id) \(receipt.at) \(receipt.error?.condition.name ?? "arrived")")
        default: break
        }
    }

    func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String? {
        switch call.word {
        case "fail": throw Wrong()
        case "wait":
            await settings.gate?.wait()
            return "done"
        case "say": return call.arguments.isEmpty ? nil : call.arguments.joined(separator: " ")
        default: return call.word
        }
    }

    func answer(_ call: CommandCall, in context: ModuleContext) async throws -> CommandAnswer {
        guard let form = call.answers.first else {
            return .ask(DataForm(.form, fields: [.text("name", "Name", isRequired: true)]))
        }
        let name = form.value("name") ?? ""
        if name == "fail" { throw Wrong() }
        if name == "wait" { await settings.gate?.wait() }
        return .done(notes: [CommandNote("Hello \(name).")])
    }

    func handle(_ event: RoomEvent, in room: BareJID, context: ModuleContext) async throws {
        switch event {
        case .entered(let nickname, _):
            settings.heard.record("entered as \(nickname)")
            settings.heard.record(await context.occupants(of: room).map(\.nickname).joined(separator: ", "))
        case .left(let end): settings.heard.record("left \(end.code.name)")
        case .occupant(let occupant): settings.heard.record("came \(occupant.nickname)")
        case .gone(let occupant): settings.heard.record("gone \(occupant.nickname)")
        case .message(let message):
            settings.heard.record("\(message.nickname ?? "the room"): \(message.body)")
            if message.body.hasPrefix("echo") { await context.answer(message, with: message.body) }
            if message.body == "parrot" { await context.say("parrot", in: room) }
        case .renamed, .subject, .refused: break
        }
    }

    func stop(in context: ModuleContext) async {
        guard let farewell = settings.farewell else { return }
        await settings.gate?.wait()
        for room in rooms { await context.say(farewell, in: room.address) }
        for contact in await context.contacts() {
            try? await context.send(Message(to: JID(contact.jid), body: farewell))
        }
    }
}

/// Another with commands, one of them of the same word.
struct Second: ChatCommandProvider, CommandProvider {
    static let name = "second"
    static let interests: ModuleInterests = [.messages]

    let chatCommands = [ChatCommand("say", help: "is not reached"), ChatCommand("time", help: "says the time")]
    let offeredCommands = [OfferedCommand("greet", name: "Not reached"), OfferedCommand("time", name: "The time")]
    let heard: EventRecorder<String>

    struct Settings: Decodable, Sendable {
        var heard = EventRecorder<String>()
        init() {}
        init(from decoder: any Decoder) throws {}
    }

    init(settings: Settings) { heard = settings.heard }

    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        if case .message(let message, _) = event { heard.record(message.body ?? "") }
    }

    func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String? { "second \(call.word)" }
    func answer(_ call: CommandCall, in context: ModuleContext) async throws -> CommandAnswer {
        .done(notes: [CommandNote("Noon.")])
    }
}
