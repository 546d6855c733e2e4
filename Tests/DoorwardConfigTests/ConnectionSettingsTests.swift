import DoorwardConfig
import Foundation
import Testing
import XMPPCore

/// How accounts connect and log in.
@Suite struct ConnectionSettingsTests {
    @Test(
        "each fault of connect and login is found at its place",
        arguments: [
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { host: h, port: ⟦DW025⟧05222 } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { host: h, port: ⟦DW026⟧65536 } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { host: h, port: ⟦DW026⟧0 } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { host: h, port: ⟦DW025⟧\"5222\" } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { ⟦DW021⟧port: 5222 } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { host: ⟦DW028⟧\"a b\" } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { tls: ⟦DW076⟧off } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: ⟦DW023⟧sha256/x } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: ⟦DW080⟧[] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: [⟦DW080⟧x] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: [⟦DW080⟧sha1/AAAA] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: [⟦DW080⟧sha256/AAAA] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: [⟦DW080⟧sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: [sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, ⟦DW080⟧sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: [⟦DW023⟧{}] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { ⟦DW020⟧pin: x } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { pins: ⟦DW026⟧[sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=] } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { tls: direct, ⟦DW021⟧port: 5223 } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: ⟦DW023⟧plain } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { ⟦DW020⟧plan: never } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { plain: ⟦DW028⟧yes } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { plain: ⟦DW028⟧always } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { channel_binding: ⟦DW028⟧true } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { channel_binding: ⟦DW028⟧require } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { iterations: ⟦DW023⟧4096 } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { iterations: { min: ⟦DW026⟧0 } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { iterations: { max: ⟦DW026⟧10000001 } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { iterations: { min: ⟦DW025⟧4k } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { iterations: ⟦DW026⟧{ min: 5000, max: 4999 } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { iterations: ⟦DW026⟧{ min: 100001 } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { iterations: { ⟦DW020⟧least: 1 } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { certificate: ⟦DW023⟧c.pem } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { certificate: ⟦DW021⟧{ file: c.pem } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { certificate: ⟦DW021⟧{ key: c.key } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { certificate: { file: ⟦DW081⟧no.crt, key: ⟦DW081⟧no.key } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, login: { certificate: { file: ⟦DW022⟧\"\", key: k } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ ⟦DW021⟧{ jid: a@x.test, login: { plain: never } } ]\n",
            "bot: b\npolicy: community\naccounts: [ ⟦DW021⟧{ jid: a@x.test, login: {} } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, login: { certificate: { file: ⟦DW081⟧c, key: ⟦DW081⟧k } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, login: { certificate: ⟦DW021⟧{ file: c } } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, ⟦DW020⟧pasword: { env: P } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { tls: ⟦DW028⟧startls } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { ca_file: ⟦DW074⟧ca.pem } } ]\n",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, connect: { ⟦DW020⟧prot: 1 } } ]\n",
        ]
    )
    func faults(text: String) throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write("bots/b/bot.yaml", text)
        let result = workspace.load()
        #expect(
            workspace.findings(result.faults) == workspace.due.sorted(),
            "\(result.faults.map { $0.rendered() }.joined(separator: "\n"))")
        #expect((result.configuration == nil) == !result.errors.isEmpty)
    }

    @Test("an overlay may give an account its certificate, and then it needs no password")
    func overlayLogin() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write(
            "bots/b/bot.yaml", "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, login: {} } ]\n")
        try workspace.write("o/c.crt", "x")
        try workspace.write("o/c.key", "x")
        try workspace.write(
            "o/o.yaml",
            "version: 1\naccounts: [ { jid: a@x.test, login: { certificate: { file: c.crt, key: c.key } } } ]\n")
        let result = workspace.load(overlay: "o/o.yaml")
        #expect(result.faults.isEmpty, "\(result.faults)")
        #expect(result.configuration?.accounts.first?.login.certificate?.key.hasSuffix("/o/c.key") == true)
    }

    @Test("a key that others can read is a warning, and so is a key that is no file", arguments: [0o640, 0o604, 0o600])
    func openKey(mode: Int) throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write("bots/b/c.crt", "x", mode: 0o644)
        try workspace.write("bots/b/c.key", "x", mode: mode)
        try workspace.write(
            "bots/b/bot.yaml",
            "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, login: { certificate: { file: c.crt, key: c.key } } } ]\n"
        )
        let result = workspace.load()
        #expect(result.faults.map(\.code) == (mode == 0o600 ? [] : ["DW082"]))
        #expect(result.configuration?.accounts.count == 1)
    }
}
