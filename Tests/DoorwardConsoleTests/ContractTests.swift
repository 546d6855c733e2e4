import DoorwardConfig
import DoorwardConsole
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

/// Scripts rely on these documents field by field.
@Suite("The contract of --json")
struct ContractTests {
    let at = "\"2026-01-05T12:00:00.000Z\""

    @Test("pending")
    func pending() {
        #expect(
            Samples.request().json.oneLine
                == #"{"id":17,"kind":"subscription","account":"support@doorward.test","contact":"ann@example.test","#
                + #""message":"Hello, it is me","nickname":"Ann","received_at":\#(at),"seen_count":3,"#
                + #""rule":"everyone else","policy":"community","version":1,"deadline":null,"state":"open","moved_from":null,"moved":null,"#
                + #""token":null,"invitation":null}"#
        )
    }

    @Test("pending: what does not apply is null, not absent")
    func pendingNulls() {
        var row = Samples.request(message: nil, nickname: nil)
        row.rule = nil
        row.policy = nil
        for field in ["message", "nickname", "rule", "policy", "deadline"] { #expect(row.json[field] == .null) }
    }

    @Test(
        "pending: every state by its word",
        arguments: [
            (RequestState.open, "open"), (.held, "held"), (.accepted, "accepted"), (.rejected, "rejected"),
            (.withdrawn, "withdrawn"), (.answeredElsewhere, "answered_elsewhere"), (.covered, "covered"),
        ]
    )
    func states(state: RequestState, word: String) {
        #expect(Samples.request(state: state).json["state"] == .string(word))
    }

    @Test("history")
    func history() {
        #expect(
            Samples.history().json.oneLine
                == #"{"id":"h123","request":17,"at":\#(at),"account":"support@doorward.test","contact":"ann@example.test","#
                + #""event":"decided","decision":"accept","by":"operator","rule":null,"operator":"ana","reason":null,"#
                + #""policy":"community","policy_digest":"\#(Samples.hash)","sent_at":\#(at),"state":"sent","action":null,"#
                + #""suggested_by":null}"#
        )
        #expect(Samples.history(decision: nil, by: "requester", state: .withdrawn).json["decision"] == .null)
        #expect(Samples.history(state: .notSent).json["state"] == .string("not_sent"))
    }

    @Test("status")
    func status() {
        let status = ServiceStatus(
            version: "0.1.0",
            startedAt: Samples.start,
            alerts: [Samples.alert()],
            accounts: [Samples.accountStatus()]
        )
        #expect(
            status.json.oneLine
                == #"{"version":"0.1.0","started_at":\#(at),"alerts":[{"id":3,"at":\#(at),"account":"front@corp.test","#
                + #""code":"account_parked","text":"wrong password; mend secrets/front, then 'doorward reload'"}],"#
                + #""accounts":[{"jid":"support@doorward.test","state":"online","since":\#(at),"policy":"community","#
                + #""mode":"enforce","contacts":12,"pending":1,"last_error":null,"resumed_at":null,"modules":[]}]}"#
        )
    }

    @Test("alerts")
    func alerts() {
        #expect(
            Samples.alert().json(full: true).members?.map(\.key) == [
                "id", "at", "account", "code", "text", "cleared_at",
            ]
        )
        #expect(Samples.alert().json(full: true)["cleared_at"] == .null)
    }

    @Test("roster")
    func roster() {
        let roster = RosterSnapshot(
            account: Samples.jid("support@doorward.test"),
            items: [
                .init(
                    jid: Samples.jid("ann@example.test"),
                    name: nil,
                    subscription: "both",
                    asked: false,
                    groups: ["A"]
                )
            ]
        )
        #expect(
            roster.json.oneLine
                == #"[{"jid":"ann@example.test","name":null,"subscription":"both","asked":false,"groups":["A"],"last_seen":null,"#
                + #""presence":null,"show":null,"status":null,"idle_since":null,"resources":null,"#
                + #""first_known":null,"added_by":null,"as_of":null,"approved":false}]"#
        )
    }

    @Test("the resources of a contact in the roster")
    func resources() throws {
        var item = RosterSnapshot.Item(
            jid: Samples.jid("ann@example.test"), name: nil, subscription: "both", asked: false, groups: [])
        item.resources = [
            ResourceRow(
                try JID("ann@example.test/desk"), priority: 5, show: .extendedAway, status: "out",
                idleSince: Samples.start, at: Samples.start),
            ResourceRow(JID(item.jid), priority: -1, at: Samples.start),
        ]
        #expect(
            item.json(asOf: nil)["resources"]?.oneLine
                == #"[{"resource":"desk","priority":5,"show":"xa","status":"out","idle_since":"2026-01-05T12:00:00.000Z","#
                + #""at":"2026-01-05T12:00:00.000Z"},{"resource":null,"priority":-1,"show":"online","status":null,"#
                + #""idle_since":null,"at":"2026-01-05T12:00:00.000Z"}]"#
        )
    }

    @Test("check")
    func check() {
        #expect(
            Samples.fault.json.oneLine
                == #"{"path":"policies/community.yaml","line":14,"column":9,"severity":"error","code":"DW012","#
                + #""message":"unknown condition 'form'","suggestion":"from"}"#
        )
    }

    @Test("reload")
    func reload() {
        let change = ReloadOutcome.Change(
            started: [Samples.jid("a@x.example")],
            stopped: [],
            updated: [Samples.jid("b@x.example")],
            restarted: []
        )
        #expect(
            ReloadOutcome(change: change, faults: []).json.oneLine
                == #"{"started":["a@x.example"],"stopped":[],"updated":["b@x.example"],"restarted":[],"faults":[]}"#
        )
    }

    @Test("policy explain")
    func explain() {
        let inner = ConditionTrace(condition: "domain: x.example", result: .fails, value: "y.example", at: "p.yaml:4:9")
        let evaluation = Evaluation(
            decision: .accept(Acceptance(subscribeBack: true, groups: ["Staff"])),
            by: .rule,
            rule: "staff",
            trace: [
                RuleTrace(
                    rule: "first",
                    result: .fails,
                    conditions: [
                        ConditionTrace(
                            condition: "any",
                            result: .fails,
                            value: nil,
                            at: "p.yaml:3:9",
                            children: [inner]
                        )
                    ]
                ), RuleTrace(rule: "staff", result: .holds, conditions: []),
                RuleTrace(rule: "last", result: .notReached, conditions: []),
            ]
        )
        #expect(
            evaluation.json.oneLine
                == #"{"decision":"accept","rule":"staff","by":"rule","options":{"subscribe_back":true,"groups":["Staff"],"#
                + #""name":null},"trace":[{"rule":"first","result":"fails","conditions":[{"condition":"any","#
                + #""result":"fails","value":null,"at":"p.yaml:3:9","children":[{"condition":"domain: x.example","#
                + #""result":"fails","value":"y.example","at":"p.yaml:4:9","children":[]}]}]},{"rule":"staff","#
                + #""result":"holds","conditions":[]},{"rule":"last","result":"not_reached","conditions":[]}]}"#
        )
    }

    @Test(
        "policy explain: options with what the policy leaves out",
        arguments: [
            (Decision.accept(Acceptance()), #"{"subscribe_back":false,"groups":[],"name":null}"#),
            (.reject(Rejection()), #"{"block":false,"report":null}"#),
            (.reject(Rejection(block: true)), #"{"block":true,"report":null}"#),
            (.reject(Rejection(report: .spam)), #"{"block":true,"report":"spam"}"#),
            (.ask, "{}"),
            (.ignore, "{}"),
        ]
    )
    func options(decision: Decision, text: String) {
        #expect(decision.options.oneLine == text)
    }
}
