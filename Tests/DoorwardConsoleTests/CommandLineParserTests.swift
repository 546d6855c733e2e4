import DoorwardConsole
import Testing

/// A command line that is understood, and as what.
struct GoodLine: Sendable, CustomTestStringConvertible {
    var words: [String]
    var command: Command.Identifier
    var arguments: [String] = []
    var flags: [String: String] = [:]

    var testDescription: String { words.joined(separator: " ") }

    static let all: [GoodLine] = [
        GoodLine(words: ["status"], command: .status),
        GoodLine(words: ["status", "--json"], command: .status, flags: ["json": ""]),
        GoodLine(words: ["--json", "status"], command: .status, flags: ["json": ""]),
        GoodLine(words: ["--config", "x.yaml", "status"], command: .status, flags: ["config": "x.yaml"]),
        GoodLine(words: ["status", "--config=x.yaml"], command: .status, flags: ["config": "x.yaml"]),
        GoodLine(words: ["accept", "17"], command: .accept, arguments: ["17"]),
        GoodLine(words: ["accept", "17@2", "18"], command: .accept, arguments: ["17@2", "18"]),
        GoodLine(words: ["reject", "17", "--block"], command: .reject, arguments: ["17"], flags: ["block": ""]),
        GoodLine(words: ["reject", "--block", "17"], command: .reject, arguments: ["17"], flags: ["block": ""]),
        GoodLine(words: ["reject", "--", "--block"], command: .reject, arguments: ["--block"]),
        GoodLine(
            words: ["history", "--limit=5", "--before", "h123"],
            command: .history,
            flags: ["limit": "5", "before": "h123"]
        ),
        GoodLine(words: ["history", "--before=123"], command: .history, flags: ["before": "123"]),
        GoodLine(words: ["pending", "--account", "a@b.example"], command: .pending, flags: ["account": "a@b.example"]),
        GoodLine(words: ["roster", "a@b.example"], command: .roster, arguments: ["a@b.example"]),
        GoodLine(
            words: ["block", "add", "a@b.example", "spam.example", "eve@c.example"],
            command: .blockAdd,
            arguments: ["a@b.example", "spam.example", "eve@c.example"]
        ),
        GoodLine(words: ["avatar", "a@b.example"], command: .avatar, arguments: ["a@b.example"]),
        GoodLine(
            words: ["avatar", "a@b.example", "c@d.example"], command: .avatar,
            arguments: ["a@b.example", "c@d.example"]),
        GoodLine(
            words: ["policy", "explain", "community", "--from", "a@b.example", "--message=--x"],
            command: .policyExplain,
            arguments: ["community"],
            flags: ["from": "a@b.example", "message": "--x"]
        ),
        GoodLine(
            words: ["policy", "--json", "explain", "p"],
            command: .policyExplain,
            arguments: ["p"],
            flags: ["json": ""]
        ),
        GoodLine(words: ["--version"], command: .version),
        GoodLine(words: ["version"], command: .version),
        GoodLine(words: ["run", "--overlay", "o.yaml"], command: .run, flags: ["overlay": "o.yaml"]),
    ]
}

@Suite("The command line")
struct CommandLineParserTests {
    @Test("is understood", arguments: GoodLine.all)
    func understood(line: GoodLine) throws {
        guard case .run(let invocation) = try CommandLineParser.parse(line.words) else {
            Issue.record("not a command to run")
            return
        }
        #expect(invocation.command.identifier == line.command)
        #expect(invocation.arguments == line.arguments)
        #expect(invocation.flags == line.flags)
    }

    @Test(
        "is refused in one line that says what is wrong and what to do",
        arguments: [
            ("stauts", "unknown command 'stauts'; did you mean 'status'?"),
            ("penidng", "unknown command 'penidng'; did you mean 'pending'?"),
            ("policy explian x", "unknown command 'policy explian'; did you mean 'policy explain'?"),
            ("frobnicate", "unknown command 'frobnicate'; 'doorward --help' lists the commands"),
            ("claim 17", "'claim' is not built yet; 'doorward --help' lists what is"),
            ("undo", "'undo' is not built yet"),
            ("block add a@b.example", "'block add' needs JID|DOMAIN"),
            ("avatar a@b.example c@d.example e@f.example", "'avatar' takes no more than that"),
            ("console", "'console' is not built yet"),
            ("prune plan", "'prune' is not built yet"),
            ("policy test x", "'policy test' is not built yet"),
            ("policy", "'policy' needs one word more; usage: doorward policy explain POLICY [flags]"),
            ("account", "usage: doorward account trust-again ACCOUNT [flags]; see 'doorward account --help'"),
            ("reject 1 --report rude", "--report is one of spam, abuse"),
            ("block add", "'block add' needs ACCOUNT"), ("block add a@example.org", "'block add' needs JID|DOMAIN"),
            ("block list a@example.org b@example.org", "takes one ACCOUNT"),
            ("accept 1 --hold 10s", "--hold of 'accept' is not built yet"),
            ("accept", "'accept' needs ID[@VERSION]; usage: doorward accept ID[@VERSION]… [flags]"),
            ("roster", "'roster' needs ACCOUNT"),
            ("roster a@b.example c@d.example", "'roster' takes one ACCOUNT, but got 'c@d.example' too"),
            ("status 17", "'status' takes no argument, but got '17'"),
            ("accept 17 --blok", "unknown flag '--blok'; 'doorward accept --help' lists its flags"),
            ("reject 17 --blok", "unknown flag '--blok'; did you mean '--block'?"),
            ("reject 17 --block=yes", "--block takes no value"),
            ("reject 17 --block --block", "--block stands twice"),
            ("history --limit", "--limit needs a value: --limit N"),
            ("history --limit --json", "--limit needs a value: --limit N"),
            ("history --limit 0", "--limit needs a number from 1 to 5000, not '0'"),
            ("history --limit 99999999999999999999", "--limit needs a number"),
            ("history --before x12", "--before needs an id that 'doorward history' shows, such as h123, not 'x12'"),
            ("pending --account @", "--account needs an address such as ann@example.org; '@' is not an XMPP address"),
            ("policy explain p --subscription maybe", "--subscription is one of none, to, from, both, not 'maybe'"),
            ("policy explain p --in-roster yes", "--in-roster is one of true, false, not 'yes'"),
            ("version --json", "unknown flag '--json'"),
            ("--json version", "'version' has no flag '--json'"),
            ("--all pending", "unknown flag '--all' before the command"),
            ("status -j", "unknown flag '-j'; flags have two dashes"),
            ("help stauts", "unknown command 'stauts'; did you mean 'status'?"),
        ]
    )
    func bad(line: String, says: String) {
        let error = #expect(throws: UsageError.self) {
            try CommandLineParser.parse(line.split(separator: " ").map { String($0) })
        }
        let text = error?.description ?? ""
        #expect(text.contains(says), "\(text)")
        #expect(!text.contains { $0.isNewline })
    }

    @Test("refuses more than a hundred ids")
    func manyIDs() {
        #expect(throws: UsageError.self) { try CommandLineParser.parse(["accept"] + (1...101).map { String($0) }) }
        #expect(throws: Never.self) { try CommandLineParser.parse(["accept"] + (1...100).map { String($0) }) }
    }

    @Test("shows what a word holds instead of sending it to the terminal")
    func hostileWord() {
        let error = #expect(throws: UsageError.self) { try CommandLineParser.parse(["\u{1B}[2Jx\n"]) }
        #expect(error?.description.contains("\\u{1B}[2Jx\\u{A}") ?? false)
    }

    @Test("asks for help", arguments: [["--help"], [], ["-h"], ["help"], ["--config", "x"]])
    func programHelp(words: [String]) throws {
        guard case .help(.program) = try CommandLineParser.parse(words) else {
            Issue.record("no help")
            return
        }
    }

    @Test(
        "asks for help about a command",
        arguments: [
            (["accept", "--help"], "accept"), (["--help", "accept"], "accept"), (["help", "accept"], "accept"),
            (["policy", "explain", "-h"], "policy explain"), (["help", "policy", "explain"], "policy explain"),
            (["accept", "17", "--help"], "accept"),
        ]
    )
    func commandHelp(words: [String], name: String) throws {
        guard case .help(.command(let command)) = try CommandLineParser.parse(words) else {
            Issue.record("no help")
            return
        }
        #expect(command.name == name)
    }

    @Test(
        "asks for help about the commands that begin with one word",
        arguments: [
            ["policy", "--help"], ["-h", "account"], ["help", "policy"], ["help", "account"],
            ["account", "--json", "--help"],
        ]
    )
    func familyHelp(words: [String]) throws {
        guard case .help(.family(let word)) = try CommandLineParser.parse(words) else {
            Issue.record("no help")
            return
        }
        #expect(words.contains(word))
    }
}
