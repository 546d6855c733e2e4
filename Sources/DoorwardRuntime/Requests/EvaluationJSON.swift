import DoorwardPolicy
import XMPPCore

/// The facts and the trace of a decision as the journal keeps them: members in the order of their names.
///
/// Written byte by byte, since it is made for each request on the account's loop: with a general encoder this was
/// most of what a decision cost.
enum EvaluationJSON {
    static func facts(_ facts: SubscriptionFacts) -> String {
        var json = JSONText()
        json.object { json in
            json.member("account", facts.account.description)
            json.member("contact", facts.contact.description)
            if facts.gateway { json.member("gateway", true) }
            if let message = facts.message { json.member("message", message) }
            if let moved = facts.moved.word { json.member("moved", moved) }
            if let nickname = facts.nickname { json.member("nickname", nickname) }
            if let item = facts.rosterItem {
                json.key("roster")
                json.object { json in
                    json.member("asked", item.asked)
                    json.key("groups")
                    json.array(item.groups) { json, group in json.text(group) }
                    json.member("subscription", item.subscription.rawValue)
                }
            }
            if facts.token != .absent { json.member("token", facts.token.rawValue) }
        }
        return json.string
    }

    static func trace(_ trace: [RuleTrace]) -> String {
        var json = JSONText()
        json.array(trace) { json, rule in
            json.object { json in
                json.key("conditions")
                json.array(rule.conditions, write)
                json.member("result", rule.result.rawValue)
                json.member("rule", rule.rule)
            }
        }
        return json.string
    }

    private static func write(_ json: inout JSONText, _ condition: ConditionTrace) {
        json.object { json in
            json.member("at", condition.at)
            json.key("children")
            json.array(condition.children, write)
            json.member("condition", condition.condition)
            json.member("result", condition.result.rawValue)
            if let value = condition.value { json.member("value", value) }
        }
    }
}

extension CostlyFact<MoveFact> {
    /// As the journal has it; nil where there is nothing to be said.
    fileprivate var word: String? {
        switch self {
        case .known(.absent): nil
        case .known(let fact): fact.rawValue
        // Decided without it: nothing of the decision hung on it.
        case .notAsked: MoveFact.claimed.rawValue
        case .unknown: "unknown"
        }
    }
}

/// A JSON document of texts, booleans, arrays and objects while it is written.
private struct JSONText {
    private var bytes: [UInt8] = []
    /// Whether the next value or key has one before it.
    private var needsComma = false

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func object(_ members: (inout JSONText) -> Void) {
        begin("{")
        members(&self)
        end("}")
    }

    mutating func array<Item>(_ items: [Item], _ write: (inout JSONText, Item) -> Void) {
        begin("[")
        for item in items { write(&self, item) }
        end("]")
    }

    mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        text(value)
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    /// The name of a member, one of ours; its value is written next.
    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A text; quotes, backslashes and controls are escaped (RFC 8259 section 7).
    mutating func text(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(Self.digit(byte >> 4))
                bytes.append(Self.digit(byte & 0xF))
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func begin(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func end(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
