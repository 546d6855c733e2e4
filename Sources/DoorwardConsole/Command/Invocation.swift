package import DoorwardConfig

/// A command line that was understood.
package struct Invocation: Sendable {
    package var command: Command
    /// What stands beside flags, after the command's words.
    package var arguments: [String] = []
    /// By name without dashes; a flag that takes nothing has an empty value.
    package var flags: [String: String] = [:]
    /// The modules that this program has.
    package var modules = ModuleRegistry()
    /// The values of flags that may stand several times, in order.
    package var lists: [String: [String]] = [:]

    package func has(_ flag: String) -> Bool { flags[flag] != nil || lists[flag] != nil }

    package subscript(flag: String) -> String? { flags[flag] }

    package var json: Bool { has("json") }
}

/// What a command line asks for.
package enum ParsedCommandLine: Sendable {
    case run(Invocation)
    /// Help about one command, about those that begin with one word, or about the program.
    case help(HelpTopic)
}

/// What help is asked about.
package enum HelpTopic: Sendable {
    case program
    case command(Command)
    /// The first word of several commands, such as `policy`.
    case family(String)
}
