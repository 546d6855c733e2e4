import Testing

/// Two Doorwards whose accounts ask each other: no pair of policies goes on for ever.
@Suite("Pairs of policies", .serialized)
struct PairTests {
    /// The most subscription presences that a pair may come to, over both directions.
    private static let limit = 10

    private struct Person: Sendable {
        var policy: PairPolicies.Policy
        var jid: String
        var host: String
        /// A second client of the account, which looks and says nothing.
        var client: Guest
    }

    private struct Pair: Sendable {
        var left: Person
        var right: Person
        var asking: PairPolicies.Asking

        var fate: PairPolicies.Fate { right.policy.fate(asking) }

        var name: String { "\(left.policy.name) asks \(right.policy.name)" }

        /// How many presences of each of the four kinds each has had of the other.
        var counts: [Int] {
            [(left, right), (right, left)].flatMap { one, other in
                ["subscribe", "subscribed", "unsubscribe", "unsubscribed"].map {
                    one.client.count($0, from: other.jid)
                }
            }
        }

        /// What the rosters come to: subscription and ask of the one, then of the other.
        var due: [String] {
            switch fate {
            case .seen: ["to", "from"]
            // In the mode observe the one who asked does not answer the request that comes back.
            case .mutual: left.policy.mode == "observe" ? ["to", "from?"] : ["both", "both"]
            case .refused, .silent: [fate == .silent ? "none?" : "none", "none"]
            }
        }
    }

    private struct Side: Sendable {
        var deployment: Deployment
        var people: [Person] = []

        /// Twelve accounts, one of each policy, on three hosts.
        init(_ name: String, _ server: any RealServer) async throws {
            deployment = try Deployment(name, policy: Policies.askAll)
            for (index, policy) in PairPolicies.all.enumerated() {
                deployment.policies[policy.name] = "subscription:\n  \(policy.rules)"
                let host = [Hosts.bots, Hosts.corp, Hosts.friends][index % 3]
                let jid = try await deployment.addAccount("\(name)-\(policy.name)", at: host, on: server)
                deployment.accounts[index].policy = policy.name
                deployment.accounts[index].mode = policy.mode
                let client = try await deployment.otherClient(of: jid, on: server)
                people.append(Person(policy: policy, jid: jid, host: host, client: client))
            }
            try deployment.write()
        }

        func leave() { for person in people { person.client.leave() } }
    }

    private static func pairs(_ left: Side, _ right: Side) -> [Pair] {
        left.people.enumerated().flatMap { index, asking in
            right.people.map { asked in
                Pair(
                    left: asking, right: asked,
                    asking: .init(
                        policy: asking.policy.name, host: asking.host, saysPlease: index.isMultiple(of: 2),
                        isKnown: asked.policy.name == "roster" && index.isMultiple(of: 4)))
            }
        }
    }

    @Test(
        "Each of twelve policies asks each of twelve, and back, and removes it: quiet within ten stanzas",
        arguments: ServerKind.allCases)
    func quiet(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        let left = try await Side("left", server)
        let right = try await Side("right", server)
        defer {
            left.leave()
            right.leave()
        }
        let pairs = Self.pairs(left, right)
        #expect(pairs.count == 144)
        for pair in pairs where pair.asking.isKnown { try await pair.right.client.setItem(pair.left.jid) }
        try await DoorwardProcess.with(left.deployment) { first in
            try await DoorwardProcess.with(right.deployment) { second in
                try await Self.add(pairs, first)
                try await Self.fallsQuiet(pairs, "asked")
                for wrong in try await Self.wrong(pairs) { Issue.record("\(wrong)") }

                // Back: whom the other side's policy did not make a contact already.
                try await Self.add(pairs.map { Pair(left: $0.right, right: $0.left, asking: $0.asking) }, second)
                try await Self.fallsQuiet(pairs, "asked back")

                // And out again: nobody is left in a list of the left, nor sees or is seen by it.
                try await Self.remove(pairs, first)
                try await Self.fallsQuiet(pairs, "removed")
                let rosters = try await Self.rosters(pairs)
                for pair in pairs {
                    let items = [rosters[pair.left.jid]?[pair.right.jid], rosters[pair.right.jid]?[pair.left.jid]]
                    let isOver = items[0] == nil && items[1]?.subscription ?? "none" == "none"
                    #expect(isOver, "\(pair.name), removed: \(items)")
                }
            }
        }
    }

    private static func add(_ pairs: [Pair], _ doorward: DoorwardProcess) async throws {
        try await perform("contact add", pairs, doorward) { pair in
            // Whom it has blocked an account cannot ask.
            let blocks = ["block", "roster"].contains(pair.left.policy.name)
            return ["done", "already_there"] + (blocks ? ["blocked"] : [])
        } words: { pair in
            pair.asking.saysPlease ? ",\"message\":\"let me in, please\"" : ""
        }
    }

    private static func remove(_ pairs: [Pair], _ doorward: DoorwardProcess) async throws {
        try await perform("contact remove", pairs, doorward, mayBe: { _ in ["done", "not_there"] }, words: { _ in "" })
    }

    /// For every account with everyone it is paired with, one after the other; those of one side side by side.
    private static func perform(
        _ command: String, _ pairs: [Pair], _ doorward: DoorwardProcess,
        mayBe outcomes: @escaping @Sendable (Pair) -> [String], words: @escaping @Sendable (Pair) -> String
    ) async throws {
        let control = doorward.deployment.controlPath
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (_, own) in Dictionary(grouping: pairs, by: \.left.jid) {
                group.addTask {
                    for pair in own {
                        let answer = try await ControlClient(path: control).perform(
                            command,
                            "{\"account\":\"\(pair.left.jid)\",\"contact\":\"\(pair.right.jid)\"\(words(pair))}")
                        guard let outcome = answer.data["outcome"].string, outcomes(pair).contains(outcome) else {
                            throw HarnessError(
                                "\(command), \(pair.name): \(answer.data), \(answer.error ?? "no words")")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The rosters of all, as the server has them.
    private static func rosters(_ pairs: [Pair]) async throws -> [String: [String: Guest.Item]] {
        var rosters: [String: [String: Guest.Item]] = [:]
        for pair in pairs {
            for person in [pair.left, pair.right] where rosters[person.jid] == nil {
                rosters[person.jid] = try await person.client.roster()
            }
        }
        return rosters
    }

    /// The pairs whose rosters are not as they should be, in words.
    private static func wrong(_ pairs: [Pair]) async throws -> [String] {
        let rosters = try await rosters(pairs)
        return pairs.compactMap { pair in
            let items = [rosters[pair.left.jid]?[pair.right.jid], rosters[pair.right.jid]?[pair.left.jid]]
            let found = items.map { item in (item?.subscription ?? "none") + (item?.asked == true ? "?" : "") }
            return found == pair.due ? nil : "\(pair.name): \(found), due \(pair.due)"
        }
    }

    private static func fallsQuiet(_ pairs: [Pair], _ what: String) async throws {
        var last: [[Int]] = []
        let people = Dictionary(pairs.flatMap { [$0.left, $0.right] }.map { ($0.jid, $0) }) { first, _ in first }.values
        // Twice the same, a moment apart, with everything that the servers had to send delivered.
        try await eventually("no more stanzas", every: .milliseconds(500)) {
            for person in people { try await person.client.settle() }
            let now = pairs.map(\.counts)
            defer { last = now }
            return now == last
        }
        await pause(.seconds(1))
        for (pair, before) in zip(pairs, last) {
            let now = pair.counts
            let total = now.reduce(0, +)
            #expect(now == before, "\(pair.name), \(what): something came after all")
            #expect(total <= limit, "\(pair.name), \(what): \(now)")
        }
        let totals = last.map { $0.reduce(0, +) }
        print("\(what): \(totals.reduce(0, +)) stanzas over \(pairs.count) pairs, at most \(totals.max() ?? 0) in one")
    }
}
