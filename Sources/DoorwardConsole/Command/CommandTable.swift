/// All commands that are built, and the names of those that are designed and not built yet.
package enum CommandTable {
    /// In the order in which help shows them.
    package static let commands: [Command] =
        running + desk + accounts + contacts + blocking + invitations + avatars + rules + beginnings + people

    /// Commands of the design that answer "not built yet".
    static let notBuiltYet: Set<String> = [
        "claim", "undo", "reverse", "pin", "rule", "watch", "prune",
        "console", "completion", "policy test", "policy coverage", "policy mutate", "policy schema",
        "policy why",
        "policy new", "policy digest", "policy replay", "policy shadow",
    ]

    /// Flags of the design that answer "not built yet", by command.
    static let flagsNotBuiltYet: [Command.Identifier: Set<String>] = [
        .accept: ["hold", "pin", "domain", "older-than", "dry-run"],
        .reject: ["hold", "pin", "domain", "older-than", "dry-run"],
        .history: ["contact", "domain", "decision", "rule", "operator"],
        .policyExplain: ["request", "at"],
    ]

    package static func command(_ identifier: Command.Identifier) -> Command? {
        commands.first { $0.identifier == identifier }
    }

    /// The commands of two words that begin with this one.
    static func family(of word: String) -> [Command] {
        commands.filter { $0.words.count > 1 && $0.words.first == word }
    }

    /// The command that the service knows by that name.
    package static func serviceCommand(named name: String) -> Command? {
        commands.first { $0.verb != nil && $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The parser answers `help` itself; without a topic nothing but the name is left to say.
    @Sendable private static func printVersion(_: Invocation, _ output: Output) -> ProgramStatus {
        output.line("doorward \(Program.version)")
        return .done
    }

    private static let people: [Command] = [
        Command(
            identifier: .version,
            words: ["version"],
            group: .people,
            summary: "print the version",
            explanation: "Prints the version of this program.",
            examples: [.init(line: "doorward version", explanation: "print it")],
            action: .local(printVersion),
            readsConfiguration: false
        ),
        Command(
            identifier: .help,
            words: ["help"],
            group: .people,
            summary: "explain a command",
            explanation: "Explains the program, or one command with its flags and examples.",
            arguments: [
                .init(placeholder: "COMMAND", count: .oneOrMore(limit: 2), explanation: "the command to explain")
            ],
            examples: [
                .init(line: "doorward help accept", explanation: "explain accept"),
                .init(line: "doorward accept --help", explanation: "the same"),
            ],
            action: .local(printVersion),
            readsConfiguration: false
        ),
    ]
}
