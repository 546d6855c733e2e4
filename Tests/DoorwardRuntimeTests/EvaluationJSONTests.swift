import DoorwardPolicy
import Foundation
import Testing
import XMPPCore

@testable import DoorwardRuntime

@Suite("What the journal keeps of a decision")
struct EvaluationJSONTests {
    private static let hostile = "a \"b\" \\ c/\u{0}\u{1F}\u{7F}\n\t\u{2028}\u{202E}\u{1F600}e\u{301}"

    @Test("facts are a JSON document, whatever a stranger wrote")
    func facts() throws {
        let item = RosterFact(subscription: .to, asked: true, name: nil, groups: ["A", Self.hostile])
        let facts = SubscriptionFacts(
            account: .bot, contact: .new, message: Self.hostile, nickname: "n", rosterItem: item)
        let json = EvaluationJSON.facts(facts)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["account"] as? String == "bot@example.org")
        #expect(object["contact"] as? String == "new@example.net")
        #expect((object["message"] as? String).map { Array($0.utf8) } == Array(Self.hostile.utf8))
        #expect(object["nickname"] as? String == "n")
        let roster = try #require(object["roster"] as? [String: Any])
        #expect(roster["subscription"] as? String == "to")
        #expect(roster["asked"] as? Bool == true)
        #expect((roster["groups"] as? [String])?.map { Array($0.utf8) } == ["A", Self.hostile].map { Array($0.utf8) })
    }

    @Test("what is not there is left out, and members stand in the order of their names")
    func order() {
        let facts = SubscriptionFacts(account: .bot, contact: .new, message: nil, nickname: nil, rosterItem: nil)
        #expect(EvaluationJSON.facts(facts) == #"{"account":"bot@example.org","contact":"new@example.net"}"#)
    }

    @Test("a token and a claim to have moved are kept where there are any")
    func introductions() {
        func json(_ token: TokenFact, _ moved: CostlyFact<MoveFact>) -> String {
            let facts = SubscriptionFacts(
                account: .bot, contact: .new, rosterItem: RosterFact(subscription: .none), token: token, moved: moved)
            let all = EvaluationJSON.facts(facts)
            return String(all.dropFirst(#"{"account":"bot@example.org","contact":"new@example.net","#.utf8.count))
        }
        let roster = #""roster":{"asked":false,"groups":[],"subscription":"none"}"#
        #expect(json(.absent, .known(.absent)) == roster + "}")
        #expect(json(.expired, .known(.verified)) == #""moved":"verified","# + roster + #","token":"expired"}"#)
        #expect(json(.absent, .notAsked) == #""moved":"claimed","# + roster + "}")
        #expect(json(.absent, .unknown) == #""moved":"unknown","# + roster + "}")
    }

    @Test("a trace keeps rules, conditions and their children")
    func trace() {
        let child = ConditionTrace(condition: "domain: b", result: .holds, value: "b", at: "p.yaml:2:3", children: [])
        let parent = ConditionTrace(condition: "any", result: .holds, value: nil, at: "p.yaml:1:3", children: [child])
        let trace = [
            RuleTrace(rule: "one", result: .holds, conditions: [parent]),
            RuleTrace(rule: "two", result: .notReached, conditions: []),
        ]
        let inner = #"{"at":"p.yaml:2:3","children":[],"condition":"domain: b","result":"holds","value":"b"}"#
        let outer = #"{"at":"p.yaml:1:3","children":[\#(inner)],"condition":"any","result":"holds"}"#
        #expect(
            EvaluationJSON.trace(trace)
                == #"[{"conditions":[\#(outer)],"result":"holds","rule":"one"},"#
                + #"{"conditions":[],"result":"not_reached","rule":"two"}]"#)
        #expect(EvaluationJSON.trace([]) == "[]")
    }
}
