import DoorwardConfig

/// The help texts, made from the table of commands.
package enum HelpText {
    /// `doorward accept ID[@VERSION]… [flags]`.
    static func usage(of command: Command) -> String {
        let arguments = command.arguments.map { argument in
            switch argument.count {
            case .one: argument.placeholder
            case .oneOrMore: argument.placeholder + "…"
            case .any: argument.count.isSeveral ? "[\(argument.placeholder)…]" : "[\(argument.placeholder)]"
            }
        }
        return (["doorward", command.name] + arguments + ["[flags]"]).joined(separator: " ")
    }

    /// The help about anything.
    package static func about(_ topic: HelpTopic) -> String {
        switch topic {
        case .program: program()
        case .command(let command): of(command)
        case .family(let word): family(word)
        }
    }

    /// The help of the commands that begin with one word.
    private static func family(_ word: String) -> String {
        let commands = CommandTable.family(of: word)
        var lines = ["doorward \(word): \(commands.count == 1 ? "one command" : "\(commands.count) commands")"]
        for command in commands {
            lines += ["", "  \(usage(of: command))", "      \(command.summary)"]
            lines += command.examples.prefix(1).map { "      for example: \($0.line)" }
        }
        lines += ["", "'doorward \(commands.first?.name ?? word) --help' explains a command."]
        return lines.joined(separator: "\n")
    }

    /// The help of the program.
    package static func program() -> String {
        var lines = [
            "doorward runs XMPP accounts and answers, by rules, who may add them. What no rule decides waits for a person.",
            "",
            "Usage: doorward COMMAND [arguments] [flags]",
        ]
        let width = CommandTable.commands.map(\.name.count).max() ?? 0
        for group in Command.Group.allCases {
            lines += ["", group.rawValue + ":"]
            for command in CommandTable.commands where command.group == group {
                lines.append("  " + padded(command.name, width) + "  " + command.summary)
            }
        }
        lines += ["", "Flags of most commands:"]
        lines += flagLines(Command.configurationFlags + [Command.jsonFlag, Command.helpFlag])
        lines += [
            "",
            "Begin with:",
            "  doorward demo                  try it on a private server; then, in a second terminal:",
            "  doorward status                which accounts are online",
            "  doorward pending               who waits for an answer",
            "  doorward accept 1              let request 1 in",
            "",
            "While a demo runs and no service does, commands ask the demo, and say so.",
            "On a terminal, tables fit its width, or COLUMNS; no address is cut, and nothing in a file or a pipe.",
            "Exit status: 0 done, 1 refused or not found, 2 bad usage or a faulty file, 3 the service is not running.",
            "'doorward COMMAND --help' explains a command.",
        ]
        return lines.joined(separator: "\n")
    }

    /// The help of one command.
    package static func of(_ command: Command) -> String {
        var lines = ["doorward \(command.name): \(command.summary)", "", "Usage: " + usage(of: command), ""]
        lines += wrapped(command.explanation, width: 80)
        if !command.arguments.isEmpty {
            lines += ["", "Arguments:"]
            lines += entries(command.arguments.map { ($0.placeholder, $0.explanation) })
        }
        lines += ["", "Flags:"]
        lines += flagLines(command.allFlags)
        if !command.examples.isEmpty {
            lines += ["", "Examples:"]
            for example in command.examples {
                lines += ["  " + example.line, "      " + example.explanation]
            }
        }
        let statuses = command.statuses + (command.verb != nil ? statusesOfService(command) : [])
        if !statuses.isEmpty {
            lines += ["", "Exit status:"]
            for status in ProgramStatus.allCases {
                for (_, meaning) in statuses.filter({ $0.0 == status }) {
                    lines.append("  \(status.rawValue)  \(meaning)")
                }
            }
        }
        if let role = command.verb?.leastRole {
            lines += ["", "Needs the role: \(role.rawValue) or more."]
        }
        return lines.joined(separator: "\n")
    }

    /// What may come of every command that asks the service, behind what the command says itself.
    private static func statusesOfService(_ command: Command) -> [(ProgramStatus, String)] {
        let done: [(ProgramStatus, String)] =
            command.statuses.contains { $0.0 == .done } ? [] : [(.done, "the service did it")]
        return done + [
            (.refused, "the service refused it (the caller's role), or its store failed"),
            (.usage, "bad usage, or the configuration does not say where the control socket is"),
            (.notRunning, "the service is not running"),
        ]
    }

    private static func flagLines(_ flags: [Command.Flag]) -> [String] {
        entries(flags.map { ("--" + $0.name + ($0.placeholder.isEmpty ? "" : " " + $0.placeholder), $0.explanation) })
    }

    private static func entries(_ entries: [(String, String)]) -> [String] {
        let width = entries.map(\.0.count).max() ?? 0
        return entries.flatMap { name, explanation in
            wrapped(explanation, width: max(40, 76 - width)).enumerated().map { index, line in
                "  " + padded(index == 0 ? name : "", width) + "  " + line
            }
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
