import DoorwardConfig
import Foundation
import Testing
import XMPPCore

/// What contacts may ask an account.
@Suite struct AnswersSettingTests {
    private static func bot(_ ofBot: String, _ ofAccount: String) -> String {
        "bot: b\npolicy: community\n\(ofBot)accounts: [ { jid: a@x.test, password: { env: P }\(ofAccount) } ]\n"
    }

    private func load(_ text: String) throws -> LoadResult {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write("bots/b/bot.yaml", text)
        let result = workspace.load()
        #expect(workspace.findings(result.faults) == workspace.due.sorted(), "\(result.faults)")
        return result
    }

    @Test(
        "each fault of answers is found at its place, with what was meant",
        arguments: [
            ("answers: [⟦DW028⟧tiem]\n", "", "time"), ("answers: ⟦DW023⟧time\n", "", nil),
            ("answers: ⟦DW023⟧{ time: true }\n", "", nil), ("⟦DW022⟧answers:\n", "", nil),
            ("answers: [⟦DW023⟧[time]]\n", "", nil), ("⟦DW020⟧answer: [time]\n", "", "answers"),
            ("", ", answers: [time, ⟦DW028⟧versions]", "version"), ("", ", ⟦DW020⟧awnsers: []", "answers"),
            ("", ", answers: ⟦DW026⟧[" + String(repeating: "time, ", count: 17) + "]", nil),
        ] as [(String, String, String?)])
    func faults(ofBot: String, ofAccount: String, suggestion: String?) throws {
        let result = try load(Self.bot(ofBot, ofAccount))
        #expect(result.configuration == nil && result.faults.first?.suggestion == suggestion)
    }

    @Test(
        "an account has its own, else those of its bot, else none",
        arguments: [
            ("", "", []), ("answers: [time, last]\n", "", [.time, .last]), ("answers: [time]\n", ", answers: []", []),
            ("answers: [time]\n", ", answers: [version, version]", [.version]), ("answers: []\n", "", []),
        ] as [(String, String, Set<AccountConfiguration.Answer>)])
    func values(ofBot: String, ofAccount: String, answers: Set<AccountConfiguration.Answer>) throws {
        let configuration = try #require(try load(Self.bot(ofBot, ofAccount)).configuration)
        #expect(configuration.accounts.map(\.answers) == [answers])
    }
}
