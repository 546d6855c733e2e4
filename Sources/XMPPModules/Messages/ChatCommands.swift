public import XMPPCore

/// The commands that a bot takes in chat, such as `/help`: a table of what there is, for whom.
///
/// ```swift
/// let commands = ChatCommands([
///     .init("count", help: "says how many I have welcomed"),
///     .init("reset", help: "begins to count anew", mayUse: { $0 == owner }),
/// ])
/// switch commands.read(message.body ?? "", from: sender) {
/// case .command(let name, let arguments): …
/// case .answer(let text): // what /help says, or what was wrong: to be sent as it is
/// case .text: …
/// }
/// ```
public struct ChatCommands: Sendable {
    /// Longest word of a command that is looked at, in bytes.
    public static let wordLimit = 64
    /// Most arguments.
    public static let argumentLimit = 32

    /// One of them.
    public struct Entry: Sendable {
        /// The word behind the mark, in small letters.
        public var word: String
        /// What comes behind it, as help shows it: `NAME [REASON]`.
        public var arguments: String
        /// What it does, in a line.
        public var help: String
        /// Whether somebody may use it, and see that it is there.
        public var mayUse: @Sendable (BareJID) -> Bool

        /// A command.
        public init(
            _ word: String, arguments: String = "", help: String,
            mayUse: @escaping @Sendable (BareJID) -> Bool = { _ in true }
        ) {
            (self.word, self.arguments, self.help, self.mayUse) = (word, arguments, help, mayUse)
        }
    }

    /// What a text is.
    public enum Reading: Hashable, Sendable {
        /// No command.
        case text
        /// One of the table, with the words behind it.
        case command(String, arguments: [String])
        /// Answered by the table itself: with help, or with what is wrong.
        case answer(String)
    }

    private let mark: String
    private let entries: [Entry]

    /// A table; `help` is in it by itself.
    ///
    /// - Parameters:
    ///   - entries: In the order that help shows; of two with the same word the first one counts.
    ///   - mark: What a command begins with.
    public init(_ entries: [Entry], mark: String = "/") {
        self.mark = mark
        self.entries = entries
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: A message's body; white space around it does not count.
    ///   - sender: Who sent it.
    /// - Returns: What it is.
    public func read(_ text: String, from sender: BareJID) -> Reading {
        let text = text.drop(while: \.isWhitespace)
        guard !mark.isEmpty, text.utf8.starts(with: mark.utf8) else { return .text }
        let words = text.dropFirst(mark.count).split(maxSplits: Self.argumentLimit, whereSeparator: \.isWhitespace)
        guard let first = words.first, first.utf8.count <= Self.wordLimit,
            text.dropFirst(mark.count).first?.isWhitespace == false
        else { return .text }
        let word = first.lowercased()
        if let entry = usable(by: sender).first(where: { sameBytes($0.word, word) }) {
            return .command(entry.word, arguments: words.dropFirst().map(String.init))
        }
        if sameBytes(word, "help") { return .answer(help(for: sender)) }
        // A path or the like is no command; one word that is none of ours is a slip.
        guard word.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) else { return .text }
        return .answer("I do not know \(mark)\(word). \(mark)help lists what I know.")
    }

    /// What somebody may use, a line each below a first one, which is no command: of two bots the other takes it for none.
    public func help(for sender: BareJID) -> String {
        let lines = usable(by: sender).map { entry in
            mark + entry.word + (entry.arguments.isEmpty ? "" : " " + entry.arguments) + " – " + entry.help
        }
        let own = lines.contains { $0.hasPrefix("\(mark)help ") } ? [] : ["\(mark)help – lists this"]
        return (["What I know:"] + lines + own).joined(separator: "\n")
    }

    private func usable(by sender: BareJID) -> [Entry] { entries.filter { $0.mayUse(sender) } }
}
