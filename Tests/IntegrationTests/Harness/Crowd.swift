import Testing

/// Many guests who each ask several accounts: what each must come to, and whether it did.
struct Crowd: Sendable {
    /// One request.
    struct Pair: Hashable, Sendable {
        var guest: String
        var account: String
    }

    /// What the policy `Policies.community` says of a guest.
    enum Fate: CaseIterable, Sendable { case friend, spammer, seller, stranger }

    let guests: [String: Guest]
    let fates: [String: Fate]
    let accounts: [String]
    /// Every guest with every account.
    var pairs: [Pair] { guests.keys.sorted().flatMap { guest in accounts.map { Pair(guest: guest, account: $0) } } }

    /// Creates the accounts and logs the guests in, a quarter of them of each fate.
    init(_ name: String, guests count: Int, accounts: [String], server: any RealServer) async throws {
        var guests: [String: Guest] = [:]
        var fates: [String: Fate] = [:]
        for number in 0..<count {
            let fate = Fate.allCases[number % Fate.allCases.count]
            let host =
                switch fate {
                case .friend: Hosts.friends
                case .spammer: Hosts.spam
                case .seller, .stranger: Hosts.example
                }
            let user = "\(name)-\(number)"
            try await server.addUser(user, at: host, password: "pw")
            let guest = try await Guest.login("\(user)@\(host)", password: "pw", to: server, acceptsAll: true)
            guests[guest.address] = guest
            fates[guest.address] = fate
        }
        self.guests = guests
        self.fates = fates
        self.accounts = accounts
    }

    func ask(_ pair: Pair) {
        guests[pair.guest]?.ask(pair.account, status: fates[pair.guest] == .seller ? "casino!" : "hello")
    }

    func leave() { for guest in guests.values { guest.leave() } }

    /// Waits until every guest has the verdict that is due and the service knows that the server had it.
    func untilAnswered(_ doorward: DoorwardProcess, within limit: Duration = .seconds(60)) async throws {
        let strangers = pairs.count { fates[$0.guest] == .stranger }
        try await eventually("every request to be answered or on the desk", within: limit, every: .milliseconds(200)) {
            let wrong = pairs.first { verdicts($0) != due($0) }
            let open = try await doorward.desk().count { $0["state"].string == "open" }
            let unsure = try await doorward.history().first {
                $0["decision"].string != "ask" && $0["state"].string != "confirmed"
            }
            return wrong == nil && open == strangers && unsure == nil
        }
    }

    /// How many requests have a verdict by now.
    var answered: Int { pairs.count { verdicts($0) != [0, 0] } }

    /// How often the guest was told yes and no.
    private func verdicts(_ pair: Pair) -> [Int] {
        guard let guest = guests[pair.guest] else { return [] }
        return ["subscribed", "unsubscribed"].map { guest.count($0, from: pair.account) }
    }

    private func due(_ pair: Pair) -> [Int] {
        switch fates[pair.guest] {
        case .friend: [1, 0]
        case .spammer, .seller: [0, 1]
        case .stranger, nil: [0, 0]
        }
    }

    /// Holds every verdict, the desk, the history and the server's rosters against the policy.
    func check(_ doorward: DoorwardProcess, _ note: Comment) async throws {
        for guest in guests.values { try await guest.settle() }
        for pair in pairs where verdicts(pair) != due(pair) {
            Issue.record("\(pair): told yes and no \(verdicts(pair)) times, due \(due(pair)); \(note)")
        }
        let history = try await doorward.history()
        for pair in pairs {
            let rows = history.filter { $0["contact"].string == pair.guest && $0["account"].string == pair.account }
            let expected =
                switch fates[pair.guest] {
                case .friend: ["accept", "friends", "confirmed"]
                case .spammer: ["reject", "spam hosts", "confirmed"]
                case .seller: ["reject", "adverts", "confirmed"]
                case .stranger, nil: ["ask", nil, "waiting"]
                }
            let found = rows.map { [$0["decision"].string, $0["rule"].string, $0["state"].string] }
            if found != [expected] { Issue.record("\(pair): the history has \(found), due \(expected); \(note)") }
        }
    }

    /// Looks at an account's contact list and block list with another client.
    func checkServer(_ account: String, _ client: Guest, _ note: Comment) async throws {
        let roster = try await client.roster()
        let friends = guests.keys.filter { fates[$0] == .friend }.sorted()
        #expect(roster.keys.sorted() == friends, note)
        for friend in friends {
            #expect(
                roster[friend] == .init(subscription: "both", asked: false, name: "A friend", groups: ["Friends"]), note
            )
        }
        #expect(try await client.blockList().sorted() == guests.keys.filter { fates[$0] == .spammer }.sorted(), note)
    }
}
