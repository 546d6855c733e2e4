import XMPPCore

/// Reads a command line by the table of commands.
///
/// Flags may stand anywhere; those before the command are the ones every command shares. `--flag value` and
/// `--flag=value` are the same; `--` ends flags.
package struct CommandLineParser {
    private var words: ArraySlice<String>
    private var commandWords: [String] = []
    private var command: Command?
    private var arguments: [String] = []
    private var flags: [String: String] = [:]
    private var lists: [String: [String]] = [:]
    private var wantsHelp = false

    private init(_ words: [String]) { self.words = words[...] }

    /// Reads the words after the program's name.
    package static func parse(_ words: [String]) throws(UsageError) -> ParsedCommandLine {
        var parser = CommandLineParser(words)
        return try parser.parse()
    }

    private mutating func parse() throws(UsageError) -> ParsedCommandLine {
        var flagsEnded = false
        while let word = words.popFirst() {
            if !flagsEnded, word == "--" {
                flagsEnded = true
            } else if !flagsEnded, word.hasPrefix("-"), word != "-" {
                try flag(word)
            } else if command == nil {
                try commandWord(word)
            } else {
                arguments.append(word)
            }
        }
        return try finish()
    }

    // MARK: The command

    private mutating func commandWord(_ word: String) throws(UsageError) {
        commandWords.append(word)
        let name = commandWords.joined(separator: " ")
        // `invite list` is meant where `invite` could be too.
        if let next = words.first, CommandTable.commands.contains(where: { $0.name == name + " " + next }) { return }
        if let found = CommandTable.commands.first(where: { $0.name == name }) {
            command = found
            for flag in flags.keys { try checkKnown(flag, of: found) }
            return
        }
        if CommandTable.notBuiltYet.contains(name) {
            throw UsageError("'\(name)' is not built yet; 'doorward --help' lists what is")
        }
        let family = commandWords.first.map(CommandTable.family) ?? []
        guard family.isEmpty || commandWords.count > 1 else { return }
        let names = (family.isEmpty ? CommandTable.commands : family).map(\.name)
        if let meant = suggestion(for: name, among: names) {
            throw UsageError("unknown command '\(name)'; did you mean '\(meant)'?")
        }
        throw UsageError("unknown command '\(name)'; 'doorward --help' lists the commands")
    }

    private mutating func finish() throws(UsageError) -> ParsedCommandLine {
        guard let command else {
            guard let word = commandWords.first else { return .help(.program) }
            if wantsHelp { return .help(.family(word)) }
            let usages = CommandTable.family(of: word).map(HelpText.usage)
            throw UsageError(
                "'\(word)' needs one word more; usage: \(usages.joined(separator: ", or ")); see 'doorward \(word) --help'"
            )
        }
        if wantsHelp { return .help(.command(command)) }
        if command.identifier == .help { return .help(try helpTopic()) }
        try checkCount(command)
        return .run(Invocation(command: command, arguments: arguments, flags: flags, lists: lists))
    }

    private mutating func helpTopic() throws(UsageError) -> HelpTopic {
        guard let first = arguments.first else { return .program }
        command = nil
        commandWords = []
        for word in arguments where command == nil { try commandWord(word) }
        return command.map { .command($0) } ?? .family(first)
    }

    private func checkCount(_ command: Command) throws(UsageError) {
        let usage = HelpText.usage(of: command)
        if command.arguments.count > 1 { return try checkEach(command, usage) }
        guard let argument = command.arguments.first else {
            guard let first = arguments.first else { return }
            throw UsageError("'\(command.name)' takes no argument, but got '\(first)'; usage: \(usage)")
        }
        if let missing = command.missingArgument(arguments.count) {
            throw UsageError("'\(command.name)' needs \(missing.placeholder); usage: \(usage)")
        }
        let most = command.mostArguments
        if arguments.count > most {
            throw UsageError(
                command.arguments.count == 1 && most == 1
                    ? "'\(command.name)' takes one \(argument.placeholder), but got '\(arguments[1])' too; usage: \(usage)"
                    : "'\(command.name)' takes at most \(most) of \(command.placeholders), but got \(arguments.count)"
            )
        }
    }

    /// Several arguments, each by its place: one of each kind, and of the last as many as it takes.
    private func checkEach(_ command: Command, _ usage: String) throws(UsageError) {
        if let missing = command.missingArgument(arguments.count) {
            throw UsageError("'\(command.name)' needs \(missing.placeholder); usage: \(usage)")
        }
        let most = command.mostArguments
        if let excess = arguments.dropFirst(most).first {
            throw UsageError(
                command.arguments.last?.count.isSeveral == true
                    ? "'\(command.name)' takes at most \(most) words, but got \(arguments.count); usage: \(usage)"
                    : "'\(command.name)' takes no more than that, but got '\(excess)' too; quote what has blanks in it;"
                        + " usage: \(usage)")
        }
    }

    // MARK: Flags

    private mutating func flag(_ word: String) throws(UsageError) {
        if word == "-h" || word == "--help" {
            wantsHelp = true
            return
        }
        if word == "--version", command == nil, commandWords.isEmpty {
            command = CommandTable.command(.version)
            return
        }
        if word == "-o", command?.allFlags.contains(where: { $0.name == "output" }) == true {
            return try flag("--output")
        }
        guard word.hasPrefix("--") else {
            throw UsageError(
                "unknown flag '\(word)'; flags have two dashes, and '--' stands before words that begin so"
            )
        }
        let body = word.dropFirst(2)
        let name = String(body.prefix { $0 != "=" })
        let attached = body.firstIndex(of: "=").map { String(body[body.index(after: $0)...]) }
        let known = (command?.allFlags ?? Command.configurationFlags + [Command.jsonFlag]).first { $0.name == name }
        guard let known else { throw unknownFlag(name) }
        if known.isRepeatable {
            lists[name, default: []].append(try value(of: known, attached: attached))
            return
        }
        guard flags[name] == nil else { throw UsageError("--\(name) stands twice; give it once") }
        flags[name] = try value(of: known, attached: attached)
    }

    private func unknownFlag(_ name: String) -> UsageError {
        guard let command else {
            return UsageError("unknown flag '--\(name)' before the command; put a command's own flags after it")
        }
        if CommandTable.flagsNotBuiltYet[command.identifier]?.contains(name) ?? false {
            return UsageError("--\(name) of '\(command.name)' is not built yet")
        }
        if let meant = suggestion(for: name, among: command.allFlags.map(\.name)) {
            return UsageError("unknown flag '--\(name)'; did you mean '--\(meant)'?")
        }
        return UsageError("unknown flag '--\(name)'; 'doorward \(command.name) --help' lists its flags")
    }

    private func checkKnown(_ flag: String, of command: Command) throws(UsageError) {
        guard !command.allFlags.contains(where: { $0.name == flag }) else { return }
        throw UsageError("'\(command.name)' has no flag '--\(flag)'; see 'doorward \(command.name) --help'")
    }

    private mutating func value(of flag: Command.Flag, attached: String?) throws(UsageError) -> String {
        if flag.value == .none {
            guard attached == nil else { throw UsageError("--\(flag.name) takes no value") }
            return ""
        }
        let given: String
        if let attached {
            given = attached
        } else {
            // A value that begins with dashes is more likely a flag whose value was left out.
            guard let next = words.first, !next.hasPrefix("--") else {
                throw UsageError("--\(flag.name) needs a value: --\(flag.name) \(flag.placeholder)")
            }
            words.removeFirst()
            given = next
        }
        try check(given, of: flag)
        return given
    }

    private func check(_ value: String, of flag: Command.Flag) throws(UsageError) {
        switch flag.value {
        case .none, .text: break
        case .file:
            guard !value.isEmpty, !value.utf8.contains(0) else {
                throw UsageError("--\(flag.name) needs a file's name")
            }
        case .address:
            do { _ = try BareJID(value) } catch {
                throw UsageError(
                    "--\(flag.name) needs an address such as ann@example.org; '\(value)' is \(error.description)"
                )
            }
        case .number(let range):
            guard let number = Int64(value), range.contains(number) else {
                throw UsageError(
                    "--\(flag.name) needs a number from \(range.lowerBound) to \(range.upperBound), not '\(value)'"
                )
            }
        case .historyID:
            guard HistoryID.number(value) != nil else {
                throw UsageError(
                    "--\(flag.name) needs an id that 'doorward history' shows, such as h123, not '\(value)'"
                )
            }
        case .choice(let choices):
            guard choices.contains(where: { $0 == value }) else {
                throw UsageError("--\(flag.name) is one of \(choices.joined(separator: ", ")), not '\(value)'")
            }
        }
    }
}
