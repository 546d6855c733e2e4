import DoorwardConfig
import Foundation
import Testing
import XMPPCore

/// What accounts say of themselves, in the files.
@Suite struct ProfileTests {
    private static let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
    ]
    private static let start = "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, "

    private func workspace(_ text: String) throws -> Workspace {
        let workspace = Workspace()
        try workspace.writeRest(bot: false)
        try workspace.write("bots/b/images/good.png", bytes: Self.png)
        try workspace.write("bots/b/images/other.gif", bytes: Array("GIF89a\u{1}\0\u{1}\0\0\0\0".utf8))
        try workspace.write("bots/b/images/empty.png", bytes: [])
        try workspace.write("bots/b/images/wide.gif", bytes: Array("GIF89a\u{1}\u{8}\u{1}\0\0\0\0".utf8))
        try workspace.write("bots/b/images/words.png", bytes: Array("<svg/>".utf8))
        try workspace.write(
            "bots/b/images/big.png", bytes: Self.png + [UInt8](repeating: 0, count: AvatarImage.publishingLimit))
        try workspace.write("bots/b/bot.yaml", text)
        return workspace
    }

    @Test(
        "each fault of a profile is found at its place",
        arguments: [
            "profile: ⟦DW023⟧Support } ]\n", "profile: { ⟦DW020⟧nick: a } } ]\n",
            "profile: { name: ⟦DW022⟧\"\" } } ]\n",
            "profile: { name: ⟦DW035⟧\" a\" } } ]\n", "profile: { nickname: ⟦DW023⟧[a] } } ]\n",
            "profile: { name: ⟦DW035⟧\"\\u202Eevil\" } } ]\n", "profile: { name: ⟦DW035⟧\"\\u200D\" } } ]\n",
            "profile: { avatar: ⟦DW097⟧images/missing.png } } ]\n", "profile: { avatar: ⟦DW097⟧images } } ]\n",
            "profile: { avatar: ⟦DW097⟧images/empty.png } } ]\n", "profile: { avatar: ⟦DW097⟧images/words.png } } ]\n",
            "profile: { avatar: ⟦DW097⟧images/big.png } } ]\n", "profile: { avatar: ⟦DW097⟧images/wide.gif } } ]\n",
            "profile: { avatar: ⟦DW097⟧\"data:image/png;base64,AAAA\" } } ]\n",
            "profile: { avatar: ⟦DW097⟧\"https://x.test/a.png\" } } ]\n",
        ])
    func faults(text: String) throws {
        let workspace = try workspace(Self.start + text)
        let result = workspace.load()
        #expect(
            workspace.findings(result.faults) == workspace.due.sorted(),
            "\(result.faults.map { $0.rendered() }.joined(separator: "\n"))")
    }

    @Test("a fault of a bot's profile is one, however many accounts it has")
    func once() throws {
        let workspace = try workspace(
            """
            bot: b
            policy: community
            profile: { avatar: ⟦DW097⟧images/missing.png }
            accounts: [ { jid: a@x.test, password: { env: P } }, { jid: b@x.test, password: { env: P } } ]
            """)
        #expect(workspace.findings(workspace.load().faults) == workspace.due.sorted())
    }

    @Test("an account's own keys win over the bot's, one by one")
    func merged() throws {
        let workspace = try workspace(
            """
            bot: b
            policy: community
            profile: { name: Bot, nickname: bot, avatar: images/good.png }
            accounts:
              - { jid: a@x.test, password: { env: P }, profile: { nickname: a, avatar: images/other.gif } }
              - { jid: b@x.test, password: { env: P } }
            """)
        let result = workspace.load()
        #expect(result.faults.isEmpty)
        let profiles = result.configuration?.accounts.map(\.profile) ?? []
        #expect(profiles.map(\.name) == ["Bot", "Bot"] && profiles.map(\.nickname) == ["a", "bot"])
        #expect(profiles.map { $0.avatar?.format } == [.gif, .png])
        #expect(profiles.last?.avatar?.bytes == Self.png)
    }

    @Test("a name may have an emoji of several parts, and letters that are joined or kept apart")
    func joined() throws {
        let workspace = try workspace(
            Self.start + "profile: { name: \"👩\u{200D}🔧 Ann\", nickname: \"نمی\u{200C}دانم\" } } ]\n")
        let result = workspace.load()
        #expect(result.faults.isEmpty)
        #expect(result.configuration?.accounts.first?.profile.name == "👩\u{200D}🔧 Ann")
    }

    @Test("without a profile there is none, and nothing of it is published")
    func none() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        #expect(workspace.load().configuration?.accounts.first?.profile.isEmpty == true)
    }
}
