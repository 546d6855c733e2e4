public import XMPPClient
public import XMPPCore

/// A module that takes commands in chat, such as `/count`.
///
/// ```swift
/// struct Counter: ChatCommandProvider {
///     static let name = "counter"
///     static let interests: ModuleInterests = []
///     let chatCommands = [ChatCommand("count", help: "says how many have come")]
///     init(settings: NoSettings) {}
///     func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String? { "Seven." }
/// }
/// ```
///
/// All modules of an account have one table: `/help` lists the commands of all of them that its sender may use, and a word that
/// is none of theirs is answered once, with a hint. What is in the table, and such a word, is no `message` event of any module.
/// A command is answered to contacts that see the account's presence and to the account's own other clients, in chats
/// and not in rooms, where it is no answer to another message (XEP-0461), and at most ``ChatCommand/answersPerMinute`` times a minute.
public protocol ChatCommandProvider: XMPPModule {
    /// Its commands, in the order that help shows them; read once, behind `init`.
    ///
    /// Of two modules with the same word the first in the configuration has it.
    var chatCommands: [ChatCommand] { get }

    /// Somebody who may use it has written one of them.
    ///
    /// - Returns: What to say, as an answer to the message; nil says nothing.
    /// - Throws: What it throws is counted and logged, and its sender told that it did not work.
    func answer(_ call: ChatCommandCall, in context: ModuleContext) async throws -> String?
}

/// A command that a module takes in chat.
public struct ChatCommand: Hashable, Sendable {
    /// How often one person's commands are answered in a minute.
    public static let answersPerMinute = 20

    /// The word behind the `/`, in small letters.
    public var word: String
    /// What comes behind it, as help shows it: `NAME [REASON]`.
    public var arguments: String
    /// What it does, in a line.
    public var help: String
    /// Who may use it, and sees that it is there.
    public var audience: ModuleAudience

    /// A command.
    public init(_ word: String, arguments: String = "", help: String, for audience: ModuleAudience = .contacts) {
        (self.word, self.arguments, self.help, self.audience) = (word, arguments, help, audience)
    }
}

/// A command as somebody wrote it.
public struct ChatCommandCall: Hashable, Sendable {
    /// Which: its word in the table.
    public let word: String
    /// The words behind it.
    public let arguments: [String]
    /// The whole message.
    public let message: Message
    /// Who wrote it; nil is another client of the account itself.
    public let contact: ModuleContact?
}
