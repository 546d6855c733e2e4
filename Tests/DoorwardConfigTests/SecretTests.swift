import DoorwardConfig
import Foundation
import Testing

@Suite struct SecretTests {
    private func failure(_ source: SecretSource) -> SecretError? {
        #expect(throws: SecretError.self) { try SecretReader.read(source) }
    }

    @Test("a file's first line is the secret", arguments: ["pa ss\n", "pa ss", "pa ss\r\n", "pa ss\nmore\n"])
    func file(text: String) throws {
        let workspace = Workspace()
        try workspace.write("s", text)
        #expect(try SecretReader.read(.file(path: workspace.path("s"))) == Array("pa ss".utf8))
    }

    @Test(
        "a file that others can read is refused with the mend",
        arguments: [0o640, 0o604, 0o644, 0o660, 0o602, 0o610]
    )
    func open(mode: Int) throws {
        let workspace = Workspace()
        try workspace.write("s", "hunter2\n", mode: mode)
        let error = failure(.file(path: workspace.path("s")))
        #expect(error?.code == .openToOthers)
        #expect(error?.description.contains("chmod 600 " + workspace.path("s")) == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test("what is no regular file is refused, at once")
    func notRegular() throws {
        let workspace = Workspace()
        try workspace.write("s", "hunter2\n")
        try FileManager.default.createSymbolicLink(
            atPath: workspace.path("link"),
            withDestinationPath: workspace.path("s")
        )
        try #require(mkfifo(workspace.path("pipe"), 0o600) == 0)
        #expect(failure(.file(path: workspace.path("link")))?.code == .notRegular)
        #expect(failure(.file(path: workspace.path("pipe")))?.code == .notRegular)
        #expect(failure(.file(path: workspace.root))?.code == .notRegular)
        #expect(failure(.file(path: workspace.path("none")))?.code == .missing)
        #expect(failure(.file(path: workspace.path("s/none")))?.code == .missing)
    }

    @Test("an empty or endless secret is refused")
    func bounds() throws {
        let workspace = Workspace()
        try workspace.write("empty", "\nhunter2\n")
        try workspace.write("long", String(repeating: "x", count: 5_000))
        #expect(failure(.file(path: workspace.path("empty")))?.code == .empty)
        #expect(failure(.file(path: workspace.path("long")))?.code == .tooLong)
    }

    @Test("the words of an error fit where the password comes from")
    func words() throws {
        let workspace = Workspace()
        try workspace.write("empty", "")
        try workspace.write("long", String(repeating: "x", count: 5_000))
        setenv("DOORWARD_TEST_EMPTY", "", 1)
        setenv("DOORWARD_TEST_LONG", String(repeating: "x", count: 5_000), 1)
        let variable = failure(.environment(name: "DOORWARD_TEST_EMPTY"))
        #expect(variable?.code == .empty)
        #expect(variable?.description.hasSuffix("set it to the password before the start") == true)
        #expect(failure(.environment(name: "DOORWARD_TEST_LONG"))?.code == .tooLong)
        #expect(failure(.command(["true"]))?.description.contains("the output of true") == true)
        let file = failure(.file(path: workspace.path("empty")))
        #expect(file?.description.hasSuffix("write the password into it") == true)
        #expect(failure(.file(path: workspace.path("none")))?.description.hasSuffix("chmod 600 it") == true)
    }

    @Test("a variable of the environment")
    func environment() throws {
        setenv("DOORWARD_TEST_SECRET", "from env", 1)
        #expect(try SecretReader.read(.environment(name: "DOORWARD_TEST_SECRET")) == Array("from env".utf8))
        #expect(failure(.environment(name: "DOORWARD_TEST_NONE"))?.code == .missing)
    }

    @Test("a systemd credential")
    func credential() throws {
        let workspace = Workspace()
        try workspace.write("bot", "from systemd\n", mode: 0o440)
        #expect(failure(.credential(name: "bot"))?.code == .missing)
        setenv("CREDENTIALS_DIRECTORY", workspace.root, 1)
        defer { unsetenv("CREDENTIALS_DIRECTORY") }
        #expect(try SecretReader.read(.credential(name: "bot")) == Array("from systemd".utf8))
        try workspace.write("empty", "")
        for name in ["none", "empty"] {
            let error = failure(.credential(name: name))
            #expect(error?.code == (name == "none" ? .missing : .empty))
            #expect(error?.description.contains("LoadCredential=\(name):PATH") == true)
            #expect(error?.description.contains("write the password") == false)
        }
    }

    @Test("a program's output; its arguments see no shell")
    func command() throws {
        #expect(try SecretReader.read(.command(["printf", "%s\\nmore", "$HOME; pa ss"])) == Array("$HOME; pa ss".utf8))
        #expect(failure(.command(["/bin/sh", "-c", "echo hunter2; exit 3"]))?.code == .commandFailed)
        #expect(failure(.command(["/nonexistent/program"]))?.code == .commandFailed)
        #expect(failure(.command([]))?.code == .commandFailed)
        #expect(failure(.command(["true"]))?.code == .empty)
        #expect(failure(.command(["/bin/sh", "-c", "echo hunter2 >&2"]))?.code == .empty)
        #expect(failure(.command(["yes"]))?.code == .tooLong)
        // Its input is empty: a program that asks does not wait.
        #expect(failure(.command(["cat"]))?.code == .empty)
    }

    @Test("no error says the secret")
    func noLeak() {
        for script in ["echo hunter2; exit 1", "echo; echo hunter2", "yes hunter2"] {
            let error = failure(.command(["/bin/sh", "-c", script]))
            #expect(error?.description.contains("hunter2") == false)
        }
    }

    @Test(
        "no fault shows a password that stands in the wrong place",
        arguments: [
            "    password: hunter2\n", "    password: pass: hunter2\n", "    password: hunter2 #1\n",
            "    password: *hunter2\n", "    password: !hunter2\n", "    password: @hunter2\n",
            "    password: { hunter2 }\n", "    password: { value: hunter2 }\n",
            "    password: { hunter2: hunter2, hunter2: hunter2 }\n", "    password: [hunter2]\n",
            "    password: \"hunter2\n",
            "    pasword: hunter2\n", "    Password: hunter2\n", "    pass word: hunter2\n", "    passwort: hunter2\n",
            "    password:\n      hunter2\n", "    password:\n      - hunter2\n",
            "    password: |\n      hunter2\n", "    password:\n      file: [hunter2]\n",
            "    password:\n      hunter2: x\n", "    password: &hunter2\n", "    password: { env: hunter2=x }\n",
            "    password: { credential: a/hunter2 }\n", "    password: { command: hunter2 }\n",
            "    password: { env: hunter2! }\n", "    password: { env: 1hunter2 }\n", "    password hunter2: x\n",
            "    resource: [password hunter2]\n", "    password:\n      - file: hunter2\n",
            "    password: !hunter2 { env: P }\n",
            "    password:\n\thunter2\n", "    password: hunter2\n    password: hunter2\n",
        ]
    )
    func hidden(text: String) throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write("bots/b/bot.yaml", "bot: b\npolicy: community\naccounts:\n  - jid: a@x.test\n" + text)
        let result = workspace.load()
        #expect(!result.errors.isEmpty)
        for fault in result.faults {
            #expect(!"\(fault) \(fault.rendered())".contains("hunter2"), "\(fault.rendered())")
        }
    }

    @Test("a misspelt password key is named, and its line is not shown; other lines are")
    func misspelt() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(
            "bots/b/bot.yaml",
            "bot: b\npolicy: community\naccounts:\n  - jid: a@x.test\n    pasword: hunter2\n    password: { env: P }\n    server: x\n"
        )
        let faults = workspace.load().faults
        #expect(faults.map(\.line) == [5, 7])
        #expect(faults.first?.message == "unknown key 'pasword' in an account")
        #expect(faults.first?.suggestion == "password")
        #expect(faults.map(\.source) == [nil, "    server: x"])
    }

    @Test("a secret file that others can read is a warning of check")
    func warning() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write("bots/b/s", "hunter2\n", mode: 0o644)
        try workspace.write(
            "bots/b/bot.yaml",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { file: ⟦DW072⟧s } } ]\n"
        )
        let result = workspace.load()
        #expect(workspace.findings(result.faults) == workspace.due)
        #expect(result.configuration != nil)
        #expect(result.faults.first?.source?.contains("password: { file: s }") == true)
    }

    @Test(
        "an empty or endless secret file is a warning of check",
        arguments: [(0, "DW077"), (1, nil), (4_096, nil), (4_097, "DW077"), (100_000, "DW077")] as [(Int, String?)]
    )
    func size(count: Int, code: String?) throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write("bots/b/s", String(repeating: "x", count: count))
        try workspace.write(
            "bots/b/bot.yaml",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { file: s } } ]\n"
        )
        let result = workspace.load()
        #expect(result.faults.map(\.code) == (code.map { [$0] } ?? []))
        #expect(result.configuration != nil)
    }

    private func faults(_ accounts: String) throws -> [Fault] {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write("bots/b/bot.yaml", "bot: b\npolicy: community\naccounts:\n" + accounts)
        return workspace.load().faults
    }

    @Test(
        "a line that says where a password comes from is shown, without its comment",
        arguments: [
            "  - { jid: a@x.test, password: { file: gone } }  # hunter2\n",
            "  - jid: a@x.test\n    password: { file: gone }\n",
            "  - jid: a@x.test\n    password:\n      # hunter2\n      file: gone\n",
            "  - jid: a@x.test\n    # password: hunter2\n    password:\n      file: secret/pass/gone\n",
        ]
    )
    func shown(accounts: String) throws {
        let faults = try faults(accounts)
        #expect(faults.map(\.code) == ["DW071"])
        #expect(faults.first?.source?.contains("gone") == true)
        #expect(faults.first?.rendered().contains("hunter2") == false)
    }

    @Test("a faulty word beside a password is named, and its line shown where no password stands on it")
    func besidePassword() throws {
        let good = try faults("  - { jid: a@x.test, password: { env: P }, mode: this }\n")
        #expect(good.map(\.message) == ["unknown mode 'this': it is enforce or observe"])
        #expect(good.first?.source?.hasSuffix("mode: this }") == true)
        let bad = try faults("  - { jid: a@x.test, password: hunter2, mode: on }\n")
        #expect(bad.map(\.code) == ["DW073", "DW028"])
        #expect(bad.last?.message == "unknown mode 'on': it is enforce or observe")
        #expect(bad.allSatisfy { $0.source == nil })
    }

    @Test("a value that an alias makes a password is not shown where its anchor stands")
    func alias() throws {
        let faults = try faults("  - jid: a@x.test\n    resource: &r hunter2\n    password: *r\n")
        #expect(faults.map(\.code) == ["DW073"])
        #expect(faults.first?.rendered().contains("hunter2") == false)
    }
}
