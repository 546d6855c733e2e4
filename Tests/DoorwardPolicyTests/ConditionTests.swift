import DoorwardPolicy
import Testing
import XMPPCore

@Suite struct ConditionTests {
    @Test("from, user, domain and account look at their part of the addresses")
    func addresses() throws {
        let ann = try facts(from: "ann@corp.example")
        #expect(holds(.from([try set("ann@corp.example")]), ann))
        #expect(holds(.from([try set("x@y.z"), try set("*@corp.example")]), ann))
        #expect(!holds(.from([try set("bo@corp.example", "corp.example")]), ann))
        #expect(!holds(.from([]), ann))
        #expect(holds(.user([try set("ANN")]), ann))
        #expect(holds(.user([try set("a*")]), ann))
        #expect(!holds(.user([try set("an", "*b*")]), ann))
        #expect(holds(.domain([try set("corp.example")]), ann))
        #expect(!holds(.domain([try set("example", "*.corp.example")]), ann))
        #expect(holds(.account([try set("bot@doorward.test")]), ann))
        #expect(holds(.account([try set("*@doorward.test")]), ann))
        #expect(!holds(.account([try set("ann@corp.example")]), ann))
    }

    @Test("the user of an address without one is absent, so its not holds")
    func absentUser() throws {
        let server = try facts(from: "corp.example")
        let user = try Condition.Test.user([set("*")])
        #expect(!holds(user, server))
        #expect(holds(.not([condition(user)]), server))
        #expect(holds(.from([try set("corp.example")]), server))
        #expect(holds(.domain([try set("corp.example")]), server))
    }

    @Test(
        "contains ignores case",
        arguments: [
            ("casino", "Best CASINO in town", true), ("CaSiNo", "casino", true), ("casino", "casin o", false),
            ("straße", "Hauptstrasse 1", true), ("STRASSE", "die straße", true), ("Σίσυφος", "ΣΊΣΥΦΟΣ", true),
            ("caf\u{e9}", "ein CAFE\u{301}!", true), ("cafe\u{301}", "CAF\u{c9}", true),
            ("STRA\u{1E9E}E", "die straße", true), ("straße", "STRA\u{1E9E}E 1", true),
            ("STRASSE", "stra\u{1E9E}e", true),
            ("\u{FB01}nanz", "FINANZ", true), ("ǆ", "ǅ", true), ("ᾳ", "ΑΙ", true), ("İstanbul", "i̇stanbul", true),
            ("\u{AB70}", "\u{13A0}", true), ("K", "\u{212A}", true), ("stra", "STRA\u{1E9E}E", true),
            ("Казино", "лучшее КАЗИНО", true),
            ("a", "", false), ("aaab", "aaaaaab", true), ("x", "abc", false), ("longer than the text", "short", false),
        ]
    )
    func contains(wanted: String, message: String, expected: Bool) throws {
        #expect(holds(.messageContains([try set("zzz", wanted)]), try facts(message: message)) == expected)
    }

    @Test("every letter is found in each of its cases")
    func everyCase() throws {
        for value in UInt32(0x80)...0x1_FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else { continue }
            let forms = [
                String(Character(scalar)), scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping,
                scalar.properties.titlecaseMapping,
            ]
            for form in forms.dropFirst() {
                var wanted = TextSet()
                _ = try wanted.insert(form)
                #expect(holds(.messageContains([wanted]), try facts(message: forms[0])), "\(forms)")
            }
        }
    }

    @Test("lengths count Unicode scalars, and more is strictly more")
    func lengths() throws {
        let flag = "🇩🇪👨‍👩‍👧"  // two and five scalars
        #expect(holds(.messageLongerThan(6), try facts(message: flag)))
        #expect(!holds(.messageLongerThan(7), try facts(message: flag)))
        #expect(holds(.messageLongerThan(0), try facts(message: "a")))
    }

    @Test("every comparison on an absent text is false", arguments: [nil, ""] as [String?])
    func absentText(message: String?) throws {
        let facts = try facts(message: message)
        let tests: [Condition.Test] = [
            .messageContains([try set("a")]), .messageLongerThan(0), .messageAbsent(false),
        ]
        for test in tests {
            #expect(!holds(test, facts))
            #expect(holds(.not([condition(test)]), facts))
        }
        #expect(holds(.messageAbsent(true), facts))
    }

    @Test("a present text is not absent")
    func presentText() throws {
        #expect(!holds(.messageAbsent(true), try facts(message: " ")))
        #expect(holds(.messageAbsent(false), try facts(message: " ")))
    }

    @Test("subscription sees the roster item's state; without an item it is none")
    func subscription() throws {
        // The other states are decided before any rule.
        let known = try facts(item: RosterFact(subscription: .none))
        for facts in [known, try facts()] {
            for state in RosterFact.Subscription.allCases {
                #expect(holds(.subscription([state]), facts) == (state == .none))
            }
            #expect(holds(.subscription(Set(RosterFact.Subscription.allCases)), facts))
            #expect(!holds(.subscription([.to, .from, .both]), facts))
        }
        #expect(holds(.inRoster(true), known))
        #expect(!holds(.inRoster(false), known))
        #expect(holds(.inRoster(false), try facts()))
        #expect(!holds(.inRoster(true), try facts()))
    }

    static let booleans: [(Bool, Bool)] = [(false, false), (false, true), (true, false), (true, true)]

    @Test("all, any and not are those of logic", arguments: booleans)
    func combinations(a: Bool, b: Bool) throws {
        let facts = try facts()
        // The contact is in no roster.
        let first = condition(.inRoster(!a))
        let second = condition(.inRoster(!b))
        #expect(holds(.all([first, second]), facts) == (a && b))
        #expect(holds(.any([first, second]), facts) == (a || b))
        #expect(holds(.not([first]), facts) == !a)
        #expect(holds(.not([first, second]), facts) == !(a && b))
        #expect(holds(.not([condition(.any([first, second]))]), facts) == !(a || b))
        #expect(holds(.all([condition(.not([first])), condition(.any([second, first]))]), facts) == (!a && (a || b)))
    }

    @Test("combinations go to depth 32")
    func deep() throws {
        var inner = condition(.inRoster(false))
        for _ in 0..<32 { inner = condition(.not([inner])) }
        #expect(holds(inner.test, try facts()))
    }
}
