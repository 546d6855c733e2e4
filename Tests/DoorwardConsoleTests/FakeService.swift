import DoorwardConfig
import DoorwardConsole
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import XMPPCore
import XMPPModules

/// A service that holds rows and answers from them; nothing is connected.
actor FakeService: ServiceControl {
    var requests: [RequestRow]
    var accounts: [AccountStatus] = [Samples.accountStatus()]
    var historyRows: [HistoryRow] = [Samples.history()]
    var alertRows: [AlertRow] = [Samples.alert()]
    var rosters: [BareJID: RosterSnapshot] = [:]
    var outcome = ReloadOutcome(
        change: .init(started: [Samples.jid("new@doorward.test")], stopped: [], updated: [], restarted: []),
        faults: []
    )
    var people: [OperatorConfiguration] = []
    private(set) var answers: [Answer] = []
    private(set) var calls: [String] = []
    var lists: [BareJID: BlockList] = [:]
    /// Blocks, changes of contacts and their like, in order.
    var orders: [String] = []
    var orderOutcome = OrderOutcome.done
    var invitations: [InvitationRow] = []

    init(requests: [RequestRow] = []) { self.requests = requests }

    func set(outcome: ReloadOutcome) { self.outcome = outcome }
    func set(roster: RosterSnapshot) { rosters[roster.account] = roster }
    func set(history: [HistoryRow]) { historyRows = history }
    func set(operators: [OperatorConfiguration]) { people = operators }

    typealias Avatar = Result<AvatarAnswer, AvatarRefusal>
    var avatars: [BareJID: AvatarAnswer] = [:]
    private(set) var published: [BareJID: AvatarImage] = [:]
    private(set) var wasFresh = false
    private(set) var asked: AvatarAsking?
    func set(avatar: AvatarAnswer) { avatars[avatar.row.contact] = avatar }

    func avatar(
        of contact: BareJID, account: BareJID, fresh: Bool, asking: AvatarAsking
    ) async throws -> Result<AvatarAnswer, AvatarRefusal> {
        calls.append("avatar")
        (wasFresh, asked) = (fresh, asking)
        return avatars[contact].map { .success($0) } ?? .failure(AvatarRefusal(text: "no answer came"))
    }

    func setAvatar(_ image: AvatarImage, of account: BareJID, by name: String) async -> AvatarRefusal? {
        calls.append("setAvatar")
        published[account] = image
        return account == Samples.accountStatus().jid ? nil : AvatarRefusal(text: "the server refused it")
    }

    func status() async throws -> ServiceStatus {
        calls.append("status")
        return ServiceStatus(
            version: "0.1.0",
            startedAt: Samples.start,
            alerts: alertRows.filter { $0.clearedAt == nil },
            accounts: accounts
        )
    }

    func pending(all: Bool, account: BareJID?, after: Int64) async throws -> [RequestRow] {
        calls.append("pending")
        return requests.filter {
            (all || $0.state == .open || $0.state == .held) && (account == nil || $0.account == account)
                && $0.id > after
        }
        .sorted { $0.id < $1.id }
    }

    func request(id: Int64) async throws -> RequestRow? {
        calls.append("request")
        return requests.first { $0.id == id }
    }

    func waitingCounts() async throws -> [BareJID: Int] {
        requests.filter { $0.state == .open || $0.state == .held }.reduce(into: [:]) { $0[$1.account, default: 0] += 1 }
    }

    func answer(_ answers: [Answer]) async throws -> [AnswerOutcome] {
        calls.append("answer")
        self.answers += answers
        return answers.map { answer in
            guard let index = requests.firstIndex(where: { $0.id == answer.id }) else {
                return .notFound(id: answer.id)
            }
            guard requests[index].state == .open else {
                let person = requests[index].state == .accepted ? "ana" : nil
                return .notOpen(requests[index], answeredBy: person, at: Samples.start)
            }
            if let version = answer.version, version != requests[index].version { return .stale(requests[index]) }
            switch answer.decision {
            case .accept: requests[index].state = .accepted
            case .reject: requests[index].state = .rejected
            case .ask, .ignore: break
            }
            return .done(requests[index])
        }
    }

    func history(limit: Int, before: Int64?, account: BareJID?) async throws -> [HistoryRow] {
        calls.append("history")
        return Array(
            historyRows.filter { row in before.map { row.id < $0 } ?? true && (account == nil || row.account == account)
            }
            .prefix(limit)
        )
    }

    func roster(of account: BareJID) async -> RosterSnapshot? {
        calls.append("roster")
        return rosters[account]
    }

    var gone: [BareJID: [GoneContact]] = [:]
    var contactOutcome = ContactOutcome.done(.init(item: RosterFact(subscription: .none, asked: true)))

    func set(gone contacts: [GoneContact], of account: BareJID) { gone[account] = contacts }
    func set(contactOutcome outcome: ContactOutcome) { contactOutcome = outcome }

    func goneContacts(of account: BareJID, limit: Int) async throws -> [GoneContact]? { gone[account] }

    func change(
        _ order: ContactOrder, of contact: BareJID, on account: BareJID, by name: String
    ) async throws -> ContactOutcome {
        orders.append("\(order) \(contact) \(account) \(name)")
        return accounts.contains { $0.jid == account } ? contactOutcome : .unknownAccount
    }

    func trustAgain(_ account: BareJID, by name: String) async throws -> Bool {
        calls.append("trustAgain \(account) \(name)")
        return accounts.contains { $0.jid == account }
    }

    func alerts(all: Bool) async throws -> [AlertRow] {
        calls.append("alerts")
        return alertRows.filter { all || $0.clearedAt == nil }
    }

    func reload() async -> ReloadOutcome {
        calls.append("reload")
        return outcome
    }

    func operators() async -> [OperatorConfiguration] { people }
}
