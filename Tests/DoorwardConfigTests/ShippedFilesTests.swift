import DoorwardConfig
import DoorwardPolicy
import EchoBot
import Foundation
import GreeterBot
import Testing
import XMPPClient
import XMPPCore

@Suite struct ShippedFilesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    private static let files = [
        "config/doorward.yaml", "config/policies/community.yaml", "config/policies/staff-only.yaml",
        "config/policies/lists/friends.txt",
        "config/policies/lists/spam-hosts.txt", "bots/doorkeeper/bot.yaml", "bots/echo/bot.yaml",
        "bots/greeter/bot.yaml", "bots/janitor/bot.yaml",
        "bots/lobby/bot.yaml",
    ]

    private func copy() throws -> (workspace: Workspace, texts: [String: String]) {
        let workspace = Workspace()
        var texts: [String: String] = [:]
        for name in ShippedFilesTests.files {
            let text = try String(contentsOfFile: ShippedFilesTests.root + "/" + name, encoding: .utf8)
            texts[name] = text
            try workspace.write(name, text)
        }
        let secrets = [
            "doorkeeper/secrets/support", "doorkeeper/secrets/info", "echo/secrets/echo", "greeter/secrets/greeter",
            "janitor/secrets/janitor", "lobby/secrets/front",
        ]
        for name in secrets {
            try workspace.write("bots/" + name, "x\n")
        }
        return (workspace, texts)
    }

    private func load(_ name: String) -> LoadResult {
        ConfigurationLoader.load(
            path: ShippedFilesTests.root + "/" + name, overlay: nil, modules: .ofThisRepository)
    }

    @Test("each bot's own configuration loads too", arguments: ["doorkeeper", "echo", "greeter", "janitor", "lobby"])
    func bots(name: String) throws {
        let result = load("bots/\(name)/doorward.yaml")
        #expect(result.faults.allSatisfy { $0.code == "DW071" }, "\(result.faults)")
        #expect(try #require(result.configuration).accounts.allSatisfy { $0.bot == name })
    }

    @Test("the shipped files load; only their passwords are missing")
    func load() throws {
        let result = load("config/doorward.yaml")
        #expect(result.faults.allSatisfy { $0.code == "DW071" }, "\(result.faults)")
        let configuration = try #require(result.configuration)
        #expect(
            configuration.accounts.map { "\($0.jid) \($0.policy)" } == [
                "support@doorward.test community", "info@doorward.test community", "echo@doorward.test community",
                "greeter@doorward.test community", "janitor@doorward.test community", "front@corp.test staff-only",
            ]
        )
        #expect(configuration.accounts.flatMap(\.modules).map(\.name) == ["echo", "greeter"])
        let copied = try copy().workspace.load()
        #expect(copied.faults.isEmpty, "\(copied.faults)")
    }

    @Test(
        "the shipped policies decide as the demo tells",
        arguments: [
            ("community", "ann@friends.test", nil, "accept"), ("community", "bo@corp.test", nil, "accept"),
            ("community", "eve@spam.test", nil, "reject"),
            ("community", "eve@x.spam.test", nil, "reject"),
            ("community", "joe@example.test", "Win at our CASINO now", "reject"),
            ("community", "joe@example.test", "Hello", "ask"),
            ("community", "joe@example.test", nil, "ask"), ("community", "eve@friends.test.evil.example", nil, "ask"),
            ("staff-only", "bo@corp.test", nil, "accept"),
            ("staff-only", "bo@lab.corp.test", nil, "accept"),
            ("staff-only", "joe@example.test", "I come at nine", "ask"),
            ("staff-only", "joe@example.test", nil, "reject"),
            ("staff-only", "bo@corp.test.evil.example", nil, "reject"),
        ] as [(String, String, String?, String)]
    )
    func decisions(policy: String, contact: String, message: String?, expected: String) throws {
        let configuration = try #require(
            load("config/doorward.yaml").configuration
        )
        let evaluation = try #require(configuration.policies[policy]).evaluate(
            SubscriptionFacts(
                account: try BareJID("support@doorward.test"),
                contact: try BareJID(contact),
                message: message
            )
        )
        #expect(evaluation.decision.word == expected)
        if contact == "eve@spam.test" { #expect(evaluation.decision == .reject(Rejection(block: true))) }
        if contact == "ann@friends.test" {
            #expect(evaluation.decision == .accept(Acceptance(subscribeBack: true, groups: ["Friends"])))
        }
    }

    @Test("docs/policy.md: every whole policy loads, and the mistake it shows is found as it shows it")
    func documentation() throws {
        let text = try String(contentsOfFile: ShippedFilesTests.root + "/docs/policy.md", encoding: .utf8)
        let blocks = text.matches(of: /(?ms)^```(yaml)?\n(.*?)^```$/).map { (isYAML: $0.1 != nil, text: String($0.2)) }
        let policies = blocks.filter { $0.isYAML && $0.text.hasPrefix("version: 1\n") }.map(\.text)
        #expect(policies.count >= 5)
        for policy in policies {
            let faults = try checkPolicy(policy)
            #expect(faults.isEmpty)
        }
        let shown = try #require(blocks.last { $0.text.contains("error[") }).text
        let club = try #require(policies.first).replacing("from: \"@members\"", with: "form: \"@members\"")
        let workspace = Workspace()
        try workspace.write("config/policies/club.yaml", club)
        let faults = PolicyLoader.load(path: workspace.path("config/policies/club.yaml")).faults
        let printed = faults.map { $0.rendered() + "\n" }.joined().replacing(workspace.root + "/", with: "")
        #expect(printed == shown)
    }

    /// A key with its place: where it ends before a colon.
    private func keys(of text: String) -> [Range<String.Index>] {
        var keys: [Range<String.Index>] = []
        for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("#") {
            let code = line.range(of: " #").map { line[..<$0.lowerBound] } ?? line
            for match in code.matches(of: /(?:^|[ {\-])([a-z_]{2,}):(?= |$)/) {
                keys.append(match.output.1.startIndex..<match.output.1.endIndex)
            }
        }
        return keys
    }

    @Test("a typing mistake in any key of the shipped files is caught, and shown on its line")
    func typos() throws {
        let (workspace, texts) = try copy()
        var count = 0
        for (name, text) in texts where name.hasSuffix(".yaml") {
            for key in keys(of: text) {
                // The names of lists are the writer's own: a typo shows as an unknown list.
                let word = String(text[key])
                let letters = Array(word)
                var typos = [
                    word.dropLast() + "", word + "x",
                    String(letters[1]) + String(letters[0]) + String(letters.dropFirst(2)),
                ]
                typos.append(String(word.prefix(1)) + "q" + String(word.dropFirst(2)))
                for typo in typos where typo != word {
                    var mutated = text
                    mutated.replaceSubrange(key, with: typo)
                    try workspace.write(name, mutated)
                    let result = workspace.load()
                    let line = text[..<key.lowerBound].count { $0 == "\n" } + 1
                    #expect(result.configuration == nil || !result.faults.isEmpty, "\(name): \(word) -> \(typo)")
                    #expect(result.configuration == nil, "\(name): \(word) -> \(typo)")
                    #expect(
                        result.faults.contains { $0.line == line || $0.code == "DW040" },
                        "\(name): \(word) -> \(typo): \(result.faults)"
                    )
                    count += 1
                }
            }
            try workspace.write(name, text)
        }
        #expect(count >= 100)
        #expect(workspace.load().faults.isEmpty)
    }

    @Test(
        "a typing mistake in a word of the language is caught",
        arguments: [
            ("config/policies/community.yaml", "then: ask", "then: aks"),
            ("config/policies/community.yaml", "then: reject", "then: rejct"),
            ("config/policies/community.yaml", "block: true", "block: yes"),
            ("config/policies/community.yaml", "\"@friends\"", "\"@freinds\""),
            ("config/policies/community.yaml", "\"@friends\"", "@friends"),
            ("config/policies/community.yaml", "1000", "1k"),
            ("config/policies/community.yaml", "lists/friends.txt", "lists/freinds.txt"),
            ("config/policies/staff-only.yaml", "in_roster: false", "in_roster: off"),
            ("config/policies/staff-only.yaml", "[\"*@corp.test\"", "[*@corp.test"),
            ("config/policies/staff-only.yaml", "    when: { from", "    when: { from: \"@staff\", from"),
            ("config/policies/lists/friends.txt", "*@corp.test", "*@@corp.test"),
            ("config/policies/lists/spam-hosts.txt", "\nspam.test", "\neve@spam.test"),
            ("config/doorward.yaml", "30s", "30"), ("config/doorward.yaml", "version: 1", "version: 2"),
            ("config/doorward.yaml", "sqlite:../", "sqllite:../"),
            ("config/doorward.yaml", "{ policy: community }", "{ policy: comunity }"),
            ("bots/doorkeeper/bot.yaml", "enforce\n", "enforced\n"),
            ("bots/doorkeeper/bot.yaml", "policy: community", "policy: comunity"),
            ("bots/doorkeeper/bot.yaml", "info@doorward.test", "support@doorward.test"),
            ("bots/doorkeeper/bot.yaml", "info@doorward.test", "info@doorward.test/x"),
            ("bots/doorkeeper/bot.yaml", "{ file: secrets/info }", "secrets/info"),
            ("bots/lobby/bot.yaml", "policy: staff-only", "policy: staff_only"),
            ("bots/lobby/bot.yaml", "  - jid", "\t- jid"), ("bots/lobby/bot.yaml", "    password", "   password"),
        ]
    )
    func words(name: String, right: String, wrong: String) throws {
        let (workspace, texts) = try copy()
        let text = try #require(texts[name])
        let place = try #require(text.range(of: right), "\(name): \(right)")
        try workspace.write(name, text.replacingCharacters(in: place, with: wrong))
        let result = workspace.load()
        #expect(result.configuration == nil, "\(name): \(right) -> \(wrong)")
        #expect(!result.errors.isEmpty)
    }

    @Test("any file cut anywhere is refused or loads, and never traps")
    func cuts() throws {
        let (workspace, texts) = try copy()
        var generator = SystemRandomNumberGenerator()
        for (name, text) in texts {
            let bytes = Array(text.utf8)
            for _ in 0..<25 {
                var mutated = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
                if !mutated.isEmpty, Bool.random(using: &generator) {
                    mutated[Int.random(in: 0..<mutated.count, using: &generator)] = UInt8.random(
                        in: 0...255,
                        using: &generator
                    )
                }
                try workspace.write(name, bytes: mutated)
                for fault in workspace.load().faults { _ = fault.rendered() }
            }
            try workspace.write(name, bytes: bytes)
        }
    }
}

extension ModuleRegistry {
    /// The modules of `bots/`.
    static let ofThisRepository = ModuleRegistry(
        [ModuleKind(Echo.self), ModuleKind(Greeter.self)].map { kind in
            Entry(name: kind.name) { try kind.prepared(from: $0) }
        })
}
