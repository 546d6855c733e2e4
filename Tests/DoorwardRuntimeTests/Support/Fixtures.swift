import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPCore

@testable import DoorwardRuntime

extension BareJID {
    static let bot = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
    static let new = BareJID(preparedLocal: "new", preparedDomain: "example.net")
    static let ally = BareJID(preparedLocal: "ally", preparedDomain: "example.org")

    static func of(_ local: String, _ domain: String = "example.net") -> BareJID {
        BareJID(preparedLocal: local, preparedDomain: domain)
    }
}

extension JID {
    static let new = JID(BareJID.new)
}

extension AccountConfiguration {
    static func of(
        _ jid: String, policy: String = "test", mode: Mode = .enforce, resource: String? = "doorward",
        password: String? = nil, login: Login = Login()
    ) -> AccountConfiguration {
        let parts = jid.split(separator: "@").map(String.init)
        return AccountConfiguration(
            jid: BareJID(preparedLocal: parts[0], preparedDomain: parts[1]), bot: "test", policy: policy,
            password: .environment(name: password ?? jid), connect: Connect(), login: login, resource: resource,
            mode: mode)
    }
}

extension Configuration {
    static func of(
        _ accounts: [AccountConfiguration], _ policies: [Policy], stop: StopMode = .close
    ) -> Configuration {
        Configuration(
            path: "doorward.yaml", storePath: ":memory:", controlPath: "", operators: [],
            policies: Dictionary(policies.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }),
            accounts: accounts, redeliveryWait: .seconds(30), stop: stop)
    }
}

extension Policy {
    static func of(_ rules: [Rule], name: String = "test", digest: String = "digest") -> Policy {
        Policy(name: name, digest: digest, rules: rules)
    }

    static let acceptAll = Policy.of([Rule("friends", .accept(Acceptance()))])
}

extension Rule {
    init(_ name: String, _ decision: Decision, domain: String? = nil) {
        var conditions: [Condition] = []
        if let domain {
            var set = DomainSet()
            _ = try? set.insert(domain)
            conditions = [Condition(.domain([set]), label: "domain: \(domain)", place: "p.yaml:1:1")]
        }
        self.init(name: name, place: "p.yaml:1:1", conditions: conditions, decision: decision)
    }
}

extension RuntimeEvent {
    func isChange(of jid: BareJID, to state: AccountStatus.State) -> Bool {
        guard case .accountChanged(let status) = self else { return false }
        return status.jid == jid && status.state == state
    }

    func isDecided(_ contact: BareJID) -> Bool {
        if case .decided(let row, _, _) = self { row.contact == contact } else { false }
    }

    func isConfirmed(_ contact: BareJID) -> Bool {
        if case .confirmed(let row) = self { row.contact == contact } else { false }
    }

    func isClosed(_ contact: BareJID) -> Bool {
        if case .closed(let row, _) = self { row.contact == contact } else { false }
    }

    func isAlert(_ code: String) -> Bool {
        if case .alertRaised(let alert) = self { alert.code == code } else { false }
    }
}

extension Answer {
    static func accept(_ row: RequestRow, _ acceptance: Acceptance = Acceptance()) -> Answer {
        let decision = Decision.accept(acceptance)
        return Answer(
            id: row.id, version: row.version, decision: decision,
            steps: RequestDecider.steps(of: decision, item: nil), by: "ana", reason: nil)
    }

    static func reject(_ row: RequestRow, block: Bool = false) -> Answer {
        let decision = Decision.reject(Rejection(block: block))
        return Answer(
            id: row.id, version: row.version, decision: decision,
            steps: RequestDecider.steps(of: decision, item: nil), by: "ana", reason: nil)
    }
}
