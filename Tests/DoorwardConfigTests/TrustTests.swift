import DoorwardConfig
import DoorwardPolicy
import Testing
import XMPPCore

/// Whom an account trusts with its contact list.
@Suite struct TrustTests {
    private func bot(_ trusted: String) -> String {
        "bot: b\npolicy: community\naccounts: [ { jid: a@x.test, password: { env: P }, \(trusted) } ]\n"
    }

    @Test(
        "each fault of trusted_rosterx is found at its place",
        arguments: [
            "trusted_rosterx: ⟦DW023⟧gw.test", "trusted_rosterx: [⟦DW031⟧\"@\"]", "trusted_rosterx: [⟦DW031⟧gw.test/x]",
            "trusted_rosterx: [⟦DW023⟧{}]", "⟦DW020⟧trusted_roster: [gw.test]",
        ])
    func faults(trusted: String) throws {
        let workspace = Workspace()
        try workspace.writeRest()
        try workspace.write("bots/b/bot.yaml", bot(trusted))
        #expect(workspace.findings(workspace.load().faults) == workspace.due.sorted())
    }

    @Test("addresses are prepared, each once; without the key nobody is trusted")
    func values() throws {
        let workspace = Workspace()
        try workspace.writeRest()
        let load = workspace.load()
        #expect(load.configuration?.accounts.first?.trustedRosterExchange == [])
        try workspace.write("bots/b/bot.yaml", bot("trusted_rosterx: [GW.Test., gw.test, groups@x.test]"))
        let trusted = workspace.load().configuration?.accounts.first?.trustedRosterExchange
        #expect(trusted == [try BareJID("gw.test"), try BareJID("groups@x.test")])
    }

    @Test("a reject may report, and then it blocks too")
    func report() throws {
        let workspace = Workspace()
        try workspace.writeRest(policy: false)
        try workspace.write(
            "config/policies/community.yaml",
            "version: 1\npolicy: community\nsubscription: [ { rule: r, then: { reject: { report: spam } } } ]\n")
        let decision = workspace.load().configuration?.policies["community"]?.rules.first?.decision
        #expect(decision == .reject(.init(block: true, report: .spam)))
        try workspace.write(
            "config/policies/community.yaml",
            "version: 1\npolicy: community\nsubscription: [ { rule: r, then: { reject: { report: ⟦DW028⟧rude } } } ]\n")
        #expect(workspace.findings(workspace.load().faults) == workspace.due.sorted())
    }
}
