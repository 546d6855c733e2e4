import DoorwardConfig
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// A module with commands and a room, which says goodbye.
struct SociableModule: ChatCommandProvider, CommandProvider, RoomGuest {
    static let name = "sociable"
    static let interests: ModuleInterests = [.receipts]

    let chatCommands = [ChatCommand("where", help: "says where I am")]
    let offeredCommands = [OfferedCommand("where", name: "Where am I?")]
    var rooms: [RoomSettings] { [RoomSettings(.den, nickname: "Bot")] }

    init(settings: NoSettings) {}

    func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String? {
        "\(await context.occupants(of: .den).count) in the den"
    }

    func answer(_ call: CommandCall, in context: ModuleContext) async throws -> CommandAnswer {
        .done(notes: [CommandNote("In the den.")])
    }

    func handle(_ event: RoomEvent, in room: BareJID, context: ModuleContext) async throws {
        if case .message(let message) = event { await context.answer(message, with: "heard \(message.body)") }
    }

    func stop(in context: ModuleContext) async {
        await context.say("bye", in: .den)
        for contact in await context.contacts() {
            try? await context.send(Message(to: JID(contact.jid), body: "bye"))
        }
    }

    static let configuration = ModuleConfiguration(
        name: name, settings: PreparedModule(SociableModule.self, settings: NoSettings()), digest: "")
}

extension BareJID {
    static let den = BareJID.of("den", "rooms.example.org")
}
