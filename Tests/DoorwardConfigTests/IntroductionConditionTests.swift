import DoorwardConfig
import DoorwardPolicy
import Testing
import XMPPCore

/// `token:` and `moved:` in a policy file.
@Suite struct IntroductionConditionTests {
    @Test(
        "they load as words of their own, one or several",
        arguments: [
            "{ token: expired }", "{ token: absent }", "{ token: [absent, expired] }", "{ token: [valid, expired] }",
            "{ not: { token: absent } }", "{ moved: verified }", "{ moved: [claimed, verified] }",
            "{ gateway: true }", "{ not: { moved: absent } }", "{ any: [ { moved: claimed }, { token: expired } ] }",
        ])
    func load(text: String) throws {
        try checkPolicy(when(text))
    }

    @Test(
        "each mistake is found at its place",
        arguments: [
            "{ token: ⟦DW028⟧good }", "{ token: ⟦DW022⟧[] }", "{ token: ⟦DW023⟧{ valid: true } }",
            "{ gateway: ⟦DW024⟧yes }", "{ moved: ⟦DW028⟧yes }", "{ moved: [verified, ⟦DW028⟧claim] }",
            "{ ⟦DW022⟧moved: }",
            "{ ⟦DW012⟧invitation: valid }",
            // A valid token is accepted before any rule.
            "{ token: ⟦DW052⟧valid }", "{ token: ⟦DW052⟧[valid] }", "{ not: { token: ⟦DW052⟧valid } }",
        ])
    func faults(text: String) throws {
        try checkPolicy(when(text))
    }

    @Test("a word that is nearly right is suggested, and a trace shows what the policy has")
    func words() throws {
        let faults = try checkPolicy(when("{ moved: ⟦DW028⟧verifed }"))
        #expect(faults.first?.suggestion == "verified")
        let workspace = Workspace()
        try workspace.write("p.yaml", when("{ moved: [claimed, verified] }"))
        let (policy, _) = PolicyLoader.load(path: workspace.path("p.yaml"))
        var facts = SubscriptionFacts(account: try BareJID("a@x.test"), contact: try BareJID("b@y.test"))
        facts.moved = .known(.claimed)
        let trace = try #require(policy?.evaluate(facts).trace.first?.conditions.first)
        #expect(trace.condition == "moved: [claimed, verified]")
        #expect(trace.result == .holds && trace.value == "claimed")
    }
}
