import XMPPCore

/// What the benchmark's policy makes of a guest; a quarter of all each, so that every kind of answer is measured.
enum Fate: CaseIterable, Sendable {
    /// Accepted into a group, and asked in return.
    case friend
    /// Refused and blocked, by the host.
    case spammer
    /// Refused by the text.
    case seller
    /// Left to a person.
    case stranger

    var host: String {
        switch self {
        case .friend: "friends.test"
        case .spammer: "spam.test"
        case .seller, .stranger: "guests.test"
        }
    }

    var message: String { self == .seller ? "Casino bonus, only today" : "Hello, please add me" }

    /// The words of `history --json`.
    var decision: String {
        switch self {
        case .friend: "accept"
        case .spammer, .seller: "reject"
        case .stranger: "ask"
        }
    }

    var state: String { self == .stranger ? "waiting" : "confirmed" }

    static let policy = """
        version: 1
        policy: bench
        lists:
          staff: ["*@corp.test", "boss@partner.test"]
          spam_hosts: [spam.test, junk.test, "*.junk.test"]
          adverts: [casino, jackpot, loan]
        subscription:
          - rule: staff walk in
            when: { from: "@staff" }
            then: accept
          - rule: spam hosts
            when: { domain: "@spam_hosts" }
            then: { reject: { block: true } }
          - rule: adverts
            when: { any: [ { message: { contains: "@adverts" } }, { message: { longer_than: 500 } } ] }
            then: reject
          - rule: friends
            when: { all: [ { domain: friends.test }, { not: { in_roster: true } } ] }
            then: { accept: { subscribe_back: true, groups: [Friends], name: A friend } }
          - rule: everyone else
            then: ask

        """
}
