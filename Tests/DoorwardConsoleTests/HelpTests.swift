import DoorwardConfig
import DoorwardConsole
import Testing

@Suite("Help")
struct HelpTests {
    @Test("of the program names every command, the exit statuses and where to begin")
    func program() {
        let text = HelpText.program()
        for command in CommandTable.commands { #expect(text.contains("  " + command.name)) }
        for part in ["Exit status: 0 done, 1 refused or not found, 2 bad usage", "doorward demo", "--overlay FILE"] {
            #expect(text.contains(part))
        }
    }

    @Test("of each command teaches: usage, explanation, flags, examples", arguments: CommandTable.commands.map(\.name))
    func commands(name: String) throws {
        let command = try #require(CommandTable.commands.first { $0.name == name })
        let text = HelpText.of(command)
        #expect(text.hasPrefix("doorward \(name): "))
        #expect(text.contains("Usage: doorward \(name)"))
        #expect(text.contains("Examples:\n  doorward "))
        #expect(text.contains("--help"))
        #expect(text.contains("--json") == command.printsData)
        #expect(text.contains("Needs the role") == (command.verb != nil))
        for line in text.split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
    }

    @Test(
        "of the commands that begin with one word shows the usage of each, and is no error",
        arguments: ["policy", "account", "contact"])
    func families(word: String) {
        let text = HelpText.about(.family(word))
        let commands = CommandTable.commands.filter { $0.words.first == word }
        #expect(!commands.isEmpty)
        for command in commands {
            for part in ["doorward \(command.name) ", command.summary] { #expect(text.contains(part)) }
        }
        let screen = Screen()
        #expect(screen.program().run([word, "--help"]) == .done)
        #expect(screen.output == text + "\n")
        #expect(screen.program().run([word]) == .usage)
        #expect(screen.errors.contains("usage: doorward \(word) "))
    }

    @Test(
        "lists every exit status that occurs",
        arguments: [
            ("run", [0, 1, 2]), ("status", [0, 1, 2, 3]), ("alerts", [0, 1, 2, 3]), ("history", [0, 1, 2, 3]),
            ("pending", [0, 1, 2, 3]), ("roster", [0, 1, 2, 3]), ("accept", [0, 1, 2, 3]), ("reload", [0, 1, 2, 3]),
            ("contact add", [0, 1, 2, 3]),
            ("check", [0, 1, 2]), ("account trust-again", [0, 1, 2, 3]), ("demo", [0, 1, 2]),
        ])
    func statuses(name: String, expected: [Int]) throws {
        let lines = HelpText.of(try #require(CommandTable.commands.first { $0.name == name })).split(separator: "\n")
        let listed = lines.drop { $0 != "Exit status:" }.dropFirst().prefix { $0.hasPrefix("  ") }
        #expect(Set(listed.compactMap { $0.dropFirst(2).first?.wholeNumberValue }) == Set(expected))
    }

    @Test("has only examples that the parser takes", arguments: CommandTable.commands.map(\.name))
    func examples(name: String) throws {
        let command = try #require(CommandTable.commands.first { $0.name == name })
        let text = HelpText.of(command)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("  doorward ") }
        #expect(!lines.isEmpty)
        for line in lines {
            for part in line.split(separator: "&&") {
                let words = part.replacing(/'[^']*'/, with: "TEXT").split(separator: " ").map { String($0) }
                #expect(throws: Never.self, "\(line)") { try CommandLineParser.parse(Array(words.dropFirst())) }
            }
        }
    }

    @Test("and roles: who reads needs viewer, who answers operator, who changes the service admin")
    func roles() {
        let roles = CommandTable.commands.reduce(into: [String: OperatorConfiguration.Role]()) {
            $0[$1.name] = $1.verb?.leastRole
        }
        #expect(
            roles == [
                "status": .viewer, "alerts": .viewer, "pending": .viewer, "history": .viewer, "roster": .viewer,
                "block list": .viewer, "block add": .operator, "block remove": .operator, "avatar": .viewer,
                "contact list": .viewer, "contact add": .operator, "contact rename": .operator,
                "contact group": .operator, "invite": .operator, "invite list": .viewer, "invite revoke": .operator,
                "contact remove": .operator, "contact unsubscribe": .operator, "contact revoke": .operator,
                "accept": .operator, "reject": .operator, "reload": .admin, "account trust-again": .admin,
            ]
        )
    }

    @Test(
        "a slip is understood",
        arguments: [
            ("stats", "status"), ("statsu", "status"), ("acept", "accept"), ("hist", "history"), ("ROSTER", "roster"),
            ("x", nil), ("zzzzzz", nil), ("", nil),
        ]
    )
    func suggestions(word: String, meant: String?) {
        #expect(suggestion(for: word, among: CommandTable.commands.map(\.name)) == meant)
    }

    @Test("what is far too long for a slip is none")
    func longWord() {
        let word = String(repeating: "a", count: 100_000)
        #expect(suggestion(for: word, among: CommandTable.commands.map(\.name)) == nil)
    }
}
