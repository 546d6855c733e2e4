import DoorwardConfig
import DoorwardPolicy
import Foundation
import Testing
import XMPPCore

@Suite struct ConfigurationTests {
    private static let rest =
        "store: sqlite:d.db\ncontrol: c.sock\npolicies: [policies/*.yaml]\nbots: [../bots/*/bot.yaml]\n"

    private func check(
        _ name: String,
        _ marked: String,
        overlay: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [Fault] {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(name, marked)
        let result = workspace.load(overlay: overlay)
        #expect(
            workspace.findings(result.faults) == workspace.due.sorted(),
            "\(result.faults.map { $0.rendered() }.joined(separator: "\n"))",
            sourceLocation: sourceLocation
        )
        #expect((result.configuration == nil) == !result.errors.isEmpty, sourceLocation: sourceLocation)
        return result.faults
    }

    @Test(
        "each fault of the main file is found at its place",
        arguments: [
            "⟦DW021⟧" + rest, "version: ⟦DW030⟧3\n" + rest, "version: 1\n⟦DW020⟧stor: x\n" + rest,
            "version: 1\n⟦DW029⟧web: { listen: 127.0.0.1:8470 }\n" + rest,
            "version: 1\noperators: ⟦DW023⟧{}\n" + rest, "version: 1\noperators: [⟦DW023⟧ana]\n" + rest,
            "version: 1\noperators: [⟦DW021⟧{ name: ana, user: ana }]\n" + rest,
            "version: 1\noperators: [{ name: ana, user: ana, role: ⟦DW028⟧boss }]\n" + rest,
            "version: 1\noperators: [⟦DW069⟧{ name: ana, role: admin }]\n" + rest,
            "version: 1\noperators: [{ name: ana, jid: ⟦DW031⟧x@example.org/, role: admin }]\n" + rest,
            "version: 1\noperators: [{ name: ana, jid: ⟦DW031⟧example.org, role: admin }]\n" + rest,
            "version: 1\noperators: [{ name: a, user: a, role: admin }, ⟦DW070⟧{ name: a, user: b, role: admin }]\n"
                + rest,
            "version: 1\noperators: [{ name: a, user: a, role: admin }, ⟦DW070⟧{ name: b, user: a, role: admin }]\n"
                + rest,
            "version: 1\noperators: [{ name: a, jid: ö@x.test, role: admin }, ⟦DW070⟧{ name: b, jid: Ö@X.test, role: admin }]\n"
                + rest,
            // A faulty operator is an operator all the same.
            "version: 1\noperators: [{ name: a, user: a, role: ⟦DW028⟧boss }, ⟦DW070⟧{ name: b, user: a, role: admin }]\n"
                + rest,
            "version: 1\noperators: [{ name: ⟦DW035⟧a/b, user: a, role: admin }, ⟦DW070⟧{ name: b, user: a, role: ⟦DW028⟧x }]\n"
                + rest,
            "version: 1\noperators: [⟦DW021⟧⟦DW069⟧{ name: a }, ⟦DW021⟧⟦DW069⟧⟦DW070⟧{ name: a }]\n" + rest,
            "version: 1\ndefaults: { policy: ⟦DW065⟧comunity }\n" + rest,
            "version: 1\ndefaults: ⟦DW023⟧community\n" + rest,
            "version: 1\ndefaults: { ⟦DW020⟧polcy: community }\n" + rest,
            "version: 1\nstop: ⟦DW028⟧resumeable\n" + rest, "version: 1\nstop: ⟦DW023⟧{}\n" + rest,
            "version: 1\n⟦DW022⟧stop:\n" + rest, "version: 1\n⟦DW020⟧stopp: close\n" + rest,
            "version: 1\nredelivery_wait: ⟦DW027⟧30\n" + rest, "version: 1\nredelivery_wait: ⟦DW027⟧30 s\n" + rest,
            "version: 1\nredelivery_wait: ⟦DW026⟧0s\n" + rest,
            "version: 1\nredelivery_wait: ⟦DW026⟧99999999999999999999w\n" + rest,
            "version: 1\nredelivery_wait: ⟦DW027⟧-1s\n" + rest, "version: 1\nredelivery_wait: ⟦DW027⟧1.5h\n" + rest,
            "version: 1\nstore: ⟦DW060⟧d.db\ncontrol: c.sock\npolicies: [policies/*.yaml]\nbots: [../bots/*/bot.yaml]\n",
            "version: 1\nstore: ⟦DW060⟧\"sqlite:\"\ncontrol: c.sock\npolicies: [policies/*.yaml]\nbots: [../bots/*/bot.yaml]\n",
            "version: 1\n⟦DW022⟧store:\ncontrol: c.sock\npolicies: [policies/*.yaml]\nbots: [../bots/*/bot.yaml]\n",
            "version: 1\nstore: sqlite:d.db\ncontrol: ⟦DW061⟧/\(String(repeating: "x", count: 107))\npolicies: [policies/*.yaml]\nbots: [../bots/*/bot.yaml]\n",
            "version: 1\nstore: sqlite:d.db\ncontrol: c.sock\npolicies: ⟦DW023⟧policies/*.yaml\nbots: [../bots/*/bot.yaml]\n",
            "⟦DW063!⟧version: 1\nstore: sqlite:d.db\ncontrol: c.sock\npolicies: [policies/*.yaml]\nbots: [⟦DW062⟧../bots/*.yaml]\n",
            "⟦DW063!⟧version: 1\nstore: sqlite:d.db\ncontrol: c.sock\npolicies: [policies/*.yaml]\nbots: []\n",
            "version: 1\nstore: sqlite:d.db\ncontrol: c.sock\npolicies: [policies/*.yaml, ⟦DW062⟧more/*.yaml]\nbots: [../bots/*/bot.yaml]\n",
        ]
    )
    func main(text: String) throws {
        _ = try check("config/doorward.yaml", text)
    }

    @Test(
        "each fault of a bot is found at its place",
        arguments: [
            "⟦DW021⟧policy: community\naccounts: [ { jid: a@x.test, password: { env: P } } ]\n",
            "⟦DW021⟧bot: b\npolicy: community\n⟦DW020⟧acounts: []\n",
            "bot: b\npolicy: ⟦DW065⟧comunity\naccounts: [ { jid: a@x.test, password: { env: P } } ]\n",
            "bot: b\naccounts: [ { jid: ⟦DW067⟧a@x.test, password: { env: P } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, policy: ⟦DW065⟧nobody } ]\n",
            // What else is wrong with an account is found in the same run.
            "bot: b\naccounts: [ { jid: ⟦DW031⟧x.test, password: { file: ⟦DW071⟧secrets/a }, policy: ⟦DW065⟧nobody, mode: ⟦DW028⟧on } ]\n",
            "bot: b\naccounts: [ { jid: ⟦DW031⟧⟦DW067⟧x.test, password: { env: P }, connect: { ca_file: ⟦DW074⟧ca.pem } } ]\n",
            "bot: b\naccounts: [ ⟦DW021⟧⟦DW067⟧{ password: { file: ⟦DW071⟧secrets/a } } ]\n",
            "bot: b\naccounts: [ { jid: ⟦DW067⟧a@x.test, password: { file: ⟦DW071⟧secrets/a } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P } }, { jid: ⟦DW064⟧A@X.test, password: { file: ⟦DW071⟧s } } ]\n",
            // A policy with a faulty name is no missing policy, nor is one under a misspelt key.
            "bot: b\n⟦DW020⟧polcy: community\naccounts: [ { jid: a@x.test, password: { env: P } } ]\n",
            "bot: b\naccounts: [ { jid: a@x.test, password: { env: P }, ⟦DW020⟧polcy: community } ]\n",
            "bot: b\npolicy: ⟦DW035⟧a/b\naccounts: [ { jid: a@x.test, password: { env: P } } ]\n",
            "bot: b\naccounts: [ { jid: a@x.test, password: { env: P }, ⟦DW022⟧policy: } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: ⟦DW031⟧a@x.test/, password: { env: P } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: ⟦DW031⟧a@x.test/phone, password: { env: P } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: ⟦DW031⟧x.test, password: { env: P } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { ⟦DW022⟧jid: , password: { env: P } } ]\n",
            "bot: b\npolicy: community\naccounts: [ ⟦DW021⟧{ jid: a@x.test } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P } }, { jid: ⟦DW064⟧A@X.test, password: { env: P } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: ⟦DW073⟧hunter2 } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: ⟦DW073⟧[hunter2] } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: ⟦DW073⟧{} } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: ⟦DW073⟧{ env: P, file: f } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { ⟦DW020⟧hunter2: x } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { command: ⟦DW073⟧pass show } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { command: ⟦DW073⟧[] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { command: [pass, ⟦DW073⟧[x]] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { credential: ⟦DW073⟧a/b } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: ⟦DW073⟧A=b } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: ⟦DW073⟧1A } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: ⟦DW073⟧\"$P\" } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: ⟦DW073⟧P-Q } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: ⟦DW073⟧PÄSS } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { file: ⟦DW071⟧secrets/a } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, mode: ⟦DW029⟧ask_all } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, mode: ⟦DW029⟧closed } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, mode: ⟦DW028⟧enforced } ]\n",
            "bot: b\npolicy: community\nmodules: { greeter: ⟦DW021⟧{} }\naccounts: [ { jid: a@x.test, password: { env: P } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, ⟦DW029⟧shadow_policy: x } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, resource: ⟦DW022⟧\"\" } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: ⟦DW023⟧x.test:5222 } ]\n",
            "bot: b\npolicy: community\naccounts: ⟦DW023⟧{ jid: a@x.test }\n", "⟦DW022⟧~\n",
            "bot: ⟦DW035⟧a b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P } } ]\n",
        ]
    )
    func bot(text: String) throws {
        _ = try check("bots/b/bot.yaml", text)
    }

    @Test("a whole configuration has what the files say")
    func whole() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(
            "config/doorward.yaml",
            """
            version: 1
            store: sqlite:../var/d.db
            control: /run/doorward.sock
            redelivery_wait: 2m
            stop: resumable
            operators:
              - { name: ana, user: ana, jid: Ana@x.test, role: admin }
              - { name: ben, user: ben, role: viewer }
            defaults: { policy: community }
            policies: [policies/*.yaml, policies/community.yaml]
            bots: [../bots/*/bot.yaml]
            """
        )
        try workspace.write("bots/b/ca.pem", "x")
        try workspace.write("bots/b/secrets/a", "secret\n")
        try workspace.write("bots/b/d.crt", "x")
        try workspace.write("bots/b/d.key", "x")
        try workspace.write(
            "bots/b/bot.yaml",
            """
            bot: no
            accounts:
              - jid: A@X.test
                password: { file: secrets/a }
                connect: { host: "::1", port: 5223, tls: starttls, ca_file: ca.pem, pins: [sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=] }
                login: { channel_binding: required, plain: allowed, iterations: { max: 20000 } }
                resource: 0123
                mode: observe
              - { jid: b@x.test, password: { command: [bin/show, a, ""] }, policy: community }
              - { jid: c@x.test, password: { credential: c } }
              - { jid: юзер@пример.example, password: { env: P }, resource: yes }
              - { jid: d@x.test, connect: { tls: direct }, login: { certificate: { file: d.crt, key: d.key } } }
            modules: {}
            """
        )
        let result = workspace.load()
        #expect(result.faults.isEmpty, "\(result.faults)")
        let configuration = try #require(result.configuration)
        let root = URL(fileURLWithPath: workspace.root).resolvingSymlinksInPath().path
        #expect(configuration.path == root + "/config/doorward.yaml")
        #expect(configuration.storePath == root + "/var/d.db")
        #expect(configuration.controlPath == "/run/doorward.sock")
        #expect(configuration.redeliveryWait == .seconds(120))
        #expect(configuration.stop == .resumable)
        #expect(configuration.policies.keys.sorted() == ["community"])
        #expect(
            configuration.operators == [
                OperatorConfiguration(name: "ana", user: "ana", jid: try BareJID("ana@x.test"), role: .admin),
                OperatorConfiguration(name: "ben", user: "ben", jid: nil, role: .viewer),
            ]
        )
        #expect(
            configuration.accounts == [
                AccountConfiguration(
                    jid: try BareJID("a@x.test"),
                    bot: "no",
                    policy: "community",
                    password: .file(path: root + "/bots/b/secrets/a"),
                    connect: .init(
                        host: "::1", port: 5223, tls: .starttls, caFile: root + "/bots/b/ca.pem",
                        pins: [Array(repeating: 0, count: 31) + [1]]),
                    login: .init(requiresChannelBinding: true, allowsPlain: true, iterations: 4096...20_000),
                    resource: "0123",
                    mode: .observe
                ),
                AccountConfiguration(
                    jid: try BareJID("b@x.test"),
                    bot: "no",
                    policy: "community",
                    password: .command([root + "/bots/b/bin/show", "a", ""]),
                    connect: .init(),
                    resource: nil,
                    mode: .enforce
                ),
                AccountConfiguration(
                    jid: try BareJID("c@x.test"),
                    bot: "no",
                    policy: "community",
                    password: .credential(name: "c"),
                    connect: .init(),
                    resource: nil,
                    mode: .enforce
                ),
                AccountConfiguration(
                    jid: try BareJID("юзер@пример.example"),
                    bot: "no",
                    policy: "community",
                    password: .environment(name: "P"),
                    connect: .init(),
                    resource: "yes",
                    mode: .enforce
                ),
                AccountConfiguration(
                    jid: try BareJID("d@x.test"),
                    bot: "no",
                    policy: "community",
                    password: nil,
                    connect: .init(tls: .direct),
                    login: .init(certificate: .init(file: root + "/bots/b/d.crt", key: root + "/bots/b/d.key")),
                    resource: nil,
                    mode: .enforce
                ),
            ]
        )
    }

    @Test("faults across files: a policy's name twice, a bot's name twice, an account in two bots")
    func acrossFiles() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(
            "config/policies/z.yaml",
            "version: 1\npolicy: ⟦DW066⟧community\nsubscription: [ { rule: r, then: ask } ]\n"
        )
        try workspace.write(
            "bots/c/bot.yaml",
            "bot: ⟦DW068⟧b\npolicy: community\naccounts: [ { jid: ⟦DW064⟧A@x.test, password: { env: P } } ]\n"
        )
        let result = workspace.load()
        #expect(workspace.findings(result.faults) == workspace.due.sorted())
        #expect(result.configuration == nil)
    }

    @Test("every fault of every file comes in one run, and a broken file hides none of the others")
    func everyFile() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(
            "config/policies/a.yaml",
            "version: 1\npolicy: a\nsubscription:\n  - rule: r\n    when: { ⟦DW012⟧form: x }\n    then: ⟦DW009⟧@x\n"
        )
        try workspace.write("config/policies/b.yaml", "⟦DW005!⟧# nothing\n")
        try workspace.write("bots/c/bot.yaml", "bot: c\npolicy: unsaid\naccounts:\n⟦DW008⟧\t- jid: x\n")
        try workspace.write(
            "bots/d/bot.yaml",
            "bot: d\npolicy: a\naccounts: [ { jid: d@x.test, password: { env: P }, mode: ⟦DW028⟧observed } ]\n"
        )
        let result = workspace.load()
        #expect(workspace.findings(result.faults) == workspace.due.sorted(), "\(result.faults)")
        #expect(result.configuration == nil)
        let paths = result.faults.map(\.path)
        #expect(paths == paths.sorted { (paths.firstIndex(of: $0) ?? 0) < (paths.firstIndex(of: $1) ?? 0) })
    }

    @Test(
        "an account is not without a policy where a fault hides its name",
        arguments: [
            "defaults: { ⟦DW020⟧polcy: community }\n", "defaults: { policy: ⟦DW035⟧a/b }\n", "⟦DW020⟧default: {}\n",
            "defaults: ⟦DW023⟧community\n", "x: ⟦DW009⟧@x\n",
        ]
    )
    func hiddenPolicy(line: String) throws {
        let workspace = Workspace()
        try workspace.writeRest(main: false)
        try workspace.write("bots/b/bot.yaml", "bot: b\naccounts: [ { jid: a@x.test, password: { env: P } } ]\n")
        try workspace.write("config/doorward.yaml", "version: 1\n" + ConfigurationTests.rest + line)
        let result = workspace.load()
        #expect(workspace.findings(result.faults) == workspace.due.sorted(), "\(result.faults)")
        #expect(result.configuration == nil)
    }

    @Test(
        "an operator's Unix user is held against this machine's, as a warning",
        arguments: [
            "{ name: ana, user: ana, role: admin }", "{ name: Ana, user: ana, role: admin }",
            "{ name: ana, user: ⟦DW078⟧aan, role: admin }", "{ name: ⟦DW079⟧ben, user: ana, role: admin }",
            "{ name: ben, user: ⟦DW078⟧eve, role: admin }", "{ name: eve, user: ⟦DW078⟧eve, role: admin }",
            "{ name: ben, jid: b@x.test, role: admin }", "{ name: ⟦DW079⟧ana, user: odd, role: admin }",
            "{ name: eve, user: odd, role: admin }",
        ]
    )
    func unixUsers(line: String) throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(
            "config/doorward.yaml",
            "version: 1\n" + ConfigurationTests.rest + "operators:\n  - " + line + "\n"
        )
        let result = workspace.load { $0 == "odd" ? nil : $0 == "ana" || $0 == "ben" }
        #expect(workspace.findings(result.faults) == workspace.due.sorted(), "\(result.faults)")
        #expect(result.faults.allSatisfy { $0.severity == .warning })
        #expect(result.configuration?.operators.count == 1)
    }

    @Test("this machine has root, and nobody with a name that no user can have")
    func knownUsers() {
        #expect(UnixUsers.isKnown("root") == true)
        #expect(UnixUsers.isKnown("no:such/user") == false)
    }

    @Test("a bot that a fault cuts short has no other faults")
    func cutBot() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        let bot = "bot: b\naccounts:\n  - jid: a@x.test\n    password:\n      command:\n        - x\n        -\n"
        try workspace.write("bots/b/bot.yaml", bytes: Array(bot.utf8) + [0xFF])
        #expect(workspace.load().faults.map(\.code) == ["DW003"])
    }

    @Test("a main file that is not there is one fault")
    func missing() {
        let result = Workspace().load()
        #expect(result.configuration == nil)
        #expect(result.faults.map(\.code) == ["DW001"])
        #expect(result.faults.first?.message.contains("No such file") == true)
    }

    @Test("a file that is named and not there is an error")
    func missingNamed() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(
            "config/doorward.yaml",
            "version: 1\nstore: sqlite:d.db\ncontrol: c.sock\npolicies: [policies/community.yaml, policies/no.yaml]\nbots: [../bots/b/bot.yaml]\n"
        )
        let result = workspace.load()
        #expect(result.faults.map(\.code) == ["DW001"])
        #expect(result.faults.first?.path.hasSuffix("config/policies/no.yaml") == true)
    }

    @Test("a pipe in the place of a file does not hold up the loader")
    func pipe() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try #require(mkfifo(workspace.path("config/policies/p.yaml"), 0o600) == 0)
        #expect(workspace.load().faults.map(\.code) == ["DW001"])
    }

    // MARK: Overlay

    private static let overlay = """
        version: 1
        store: sqlite:other.db
        control: o.sock
        redelivery_wait: 3s
        stop: resumable
        accounts:
          - { jid: A@x.test, connect: { host: 127.0.0.1, port: 15222 }, password: { env: Q } }
        """

    @Test("an overlay changes the store, the socket, the wait, and accounts")
    func overlay() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(
            "bots/b/bot.yaml",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { file: gone }, connect: { host: h, ca_file: gone.pem } } ]\n"
        )
        try workspace.write("demo/overlay.yaml", ConfigurationTests.overlay)
        let result = workspace.load(overlay: "demo/overlay.yaml")
        #expect(result.faults.isEmpty, "\(result.faults)")
        let configuration = try #require(result.configuration)
        #expect(configuration.storePath.hasSuffix("/demo/other.db"))
        #expect(configuration.controlPath.hasSuffix("/demo/o.sock"))
        #expect(configuration.redeliveryWait == .seconds(3))
        #expect(configuration.stop == .resumable)
        #expect(configuration.accounts.first?.connect == .init(host: "127.0.0.1", port: 15_222))
        #expect(configuration.accounts.first?.password == .environment(name: "Q"))
        #expect(configuration.accounts.first?.policy == "community")
    }

    @Test(
        "each fault of an overlay is found at its place",
        arguments: [
            "⟦DW021⟧accounts: []\n", "version: 1\n⟦DW020⟧policies: []\n",
            "version: 1\naccounts: [ { jid: ⟦DW075⟧b@x.test } ]\n",
            "version: 1\naccounts: [ { jid: a@x.test, ⟦DW020⟧policy: x } ]\n",
            "version: 1\naccounts: [ { jid: a@x.test, ⟦DW020⟧mode: observe } ]\n",
            "version: 1\naccounts: [ { jid: a@x.test }, { jid: ⟦DW064⟧A@x.test } ]\n", "⟦DW005!⟧",
            "version: 1\naccounts: [ ⟦DW021⟧{ connect: { host: h } } ]\n", "version: 1\naccounts: ⟦DW023⟧{}\n",
            "version: 1\naccounts: [ { jid: a@x.test, password: ⟦DW073⟧x } ]\n",
            "version: 1\naccounts: [ { jid: ⟦DW031⟧x.test, password: { file: ⟦DW071⟧s }, connect: { ca_file: ⟦DW074⟧c } } ]\n",
            "version: 1\naccounts: [ { jid: ⟦DW075⟧b@x.test, password: { file: ⟦DW071⟧s } } ]\n",
        ]
    )
    func overlayFaults(text: String) throws {
        _ = try check("o.yaml", text, overlay: "o.yaml")
    }

    @Test("an overlay that is not there is an error")
    func missingOverlay() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        let result = workspace.load(overlay: "none.yaml")
        #expect(result.configuration == nil)
        #expect(result.faults.map(\.code) == ["DW001"])
    }
}
