/// Twelve policies that differ as much as they can, for the pair test.
enum PairPolicies {
    /// What a request comes to under a policy: where the one who asked stands then, and the one who was asked.
    enum Fate: Hashable, Sendable {
        /// Let in.
        case seen
        /// Let in, and asked back, which the one who asked lets in.
        case mutual
        /// Told no.
        case refused
        /// Told nothing.
        case silent
    }

    struct Policy: Sendable {
        var name: String
        var mode = "enforce"
        var rules: String
        /// By the name of the policy that the one who asks has.
        var fate: @Sendable (Asking) -> Fate
    }

    /// One who asks.
    struct Asking: Sendable {
        var policy: String
        var host: String
        var saysPlease: Bool
        /// Whether the one who is asked has it in the roster, without a subscription.
        var isKnown: Bool
    }

    static let all: [Policy] = [
        Policy(name: "accept", rules: "- { rule: all, then: accept }") { _ in .seen },
        Policy(name: "welcome", rules: "- { rule: all, then: { accept: { subscribe_back: true } } }") { _ in .mutual },
        Policy(
            name: "groups",
            rules: "- { rule: all, then: { accept: { subscribe_back: true, name: A pair, groups: [Pairs, Tests] } } }"
        ) { _ in .mutual },
        Policy(name: "labels", rules: "- { rule: all, then: { accept: { groups: [Pairs] } } }") { _ in .seen },
        Policy(name: "reject", rules: "- { rule: all, then: reject }") { _ in .refused },
        Policy(name: "block", rules: "- { rule: all, then: { reject: { block: true } } }") { _ in .refused },
        Policy(name: "ask", rules: "- { rule: all, then: ask }") { _ in .silent },
        Policy(name: "ignore", rules: "- { rule: all, then: ignore }") { _ in .silent },
        Policy(
            name: "domain",
            rules: """
                - { rule: colleagues, when: { domain: corp.test }, then: { accept: { subscribe_back: true } } }
                  - { rule: others, then: reject }
                """
        ) { $0.host == Hosts.corp ? .mutual : .refused },
        Policy(
            name: "name",
            rules: """
                - { rule: likes, when: { user: "*-r*" }, then: { accept: { name: Liked } } }
                  - { rule: others, then: ignore }
                """
        ) { $0.policy.hasPrefix("r") ? .seen : .silent },
        Policy(
            name: "roster",
            rules: """
                - { rule: known, when: { in_roster: true }, then: { accept: { subscribe_back: true } } }
                  - { rule: polite, when: { message: { contains: please } }, then: accept }
                  - { rule: others, then: { reject: { report: spam } } }
                """
        ) { $0.isKnown ? .mutual : $0.saysPlease ? .seen : .refused },
        Policy(
            name: "observe", mode: "observe", rules: "- { rule: all, then: { accept: { subscribe_back: true } } }"
        ) { _ in .silent },
    ]
}
