import XMPPClient

/// What a module says of itself beyond `XMPPModule`, read once behind its `init`.
struct BotDeclarations: Sendable {
    /// Most chat commands of a module, most commands with forms, and most rooms: what is over that is left out.
    static let limit = 100

    let chatCommands: [ChatCommand]
    let commands: [OfferedCommand]
    /// Nil where it does not sit in rooms at all.
    let rooms: [RoomSettings]?

    init(_ module: any XMPPModule) {
        func first<Value>(_ values: [Value]?) -> [Value]? { values.map { Array($0.prefix(Self.limit)) } }
        chatCommands = (first((module as? any ChatCommandProvider)?.chatCommands) ?? []).map { command in
            // As they are read: in small letters, without the mark.
            var command = command
            command.word = String(command.word.lowercased().drop { $0 == "/" })
            return command
        }
        commands = first((module as? any CommandProvider)?.offeredCommands) ?? []
        rooms = first((module as? any RoomGuest)?.rooms)
    }
}
