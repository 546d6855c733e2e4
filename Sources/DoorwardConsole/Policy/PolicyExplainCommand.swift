import DoorwardConfig
import DoorwardPolicy
import Glibc
import XMPPCore

/// `doorward policy explain`: a made-up request put to a policy of the files.
enum PolicyExplainCommand {
    /// The account that is asked where neither the command line nor the configuration names one.
    static let anyAccount = "account@example.org"

    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> ProgramStatus {
        guard let name = invocation.arguments.first, let from = invocation["from"] else {
            throw UsageError("'policy explain' needs --from JID: who asks, such as --from ann@example.org")
        }
        let isPath = name.contains("/") || name.hasSuffix(".yaml")
        let found = isPath ? loadPath(name, invocation, output: output) : try loadName(name, invocation, output: output)
        switch found {
        case .failure(let failure): return failure.status
        case .success(let loaded):
            let facts = try facts(from: from, invocation, account: loaded.account)
            let evaluation = loaded.policy.evaluate(facts)
            if invocation.json {
                output.json(evaluation.json.adding("revokes_old", .bool(evaluation.follows(facts))))
            } else {
                output.lines(
                    EvaluationRenderer(width: output.width).lines(
                        evaluation, policy: loaded.policy.name, facts: facts,
                        isMadeUpAccount: loaded.account == nil && invocation["account"] == nil))
            }
            return .done
        }
    }

    private struct Loaded {
        var policy: Policy
        var account: BareJID?
    }

    /// Already said.
    private struct Failure: Error {
        var status: ProgramStatus
    }

    private static func loadPath(
        _ path: String, _ invocation: Invocation, output: Output
    ) -> Result<Loaded, Failure> {
        let (policy, faults) = PolicyLoader.load(path: path)
        guard let policy else { return .failure(report(faults, of: path, invocation, output: output)) }
        return .success(Loaded(policy: policy, account: nil))
    }

    private static func loadName(
        _ name: String,
        _ invocation: Invocation,
        output: Output
    ) throws(UsageError) -> Result<Loaded, Failure> {
        let file = try ConfigurationFile(invocation)
        let result = file.load()
        guard let configuration = result.configuration else {
            return .failure(report(result.errors, of: file.path, invocation, output: output))
        }
        guard let policy = configuration.policies[name] else {
            let names = configuration.policies.keys.sorted()
            let hint: TerminalText =
                suggestion(for: name, among: names).map { "did you mean '\($0)'?" }
                ?? "\(file.path) has: \(names.joined(separator: ", "))"
            let error: TerminalText = "there is no policy '\(name)'; \(hint)"
            if invocation.json { output.json(ServiceCommand.failure(error.rendered(colours: false))) }
            output.error(error)
            return .failure(Failure(status: .refused))
        }
        let user = configuration.accounts.first { $0.policy.utf8.elementsEqual(name.utf8) }
        return .success(Loaded(policy: policy, account: user?.jid))
    }

    /// As `check` does: faults as data on standard output, or in words, and then on standard error.
    private static func report(
        _ faults: [Fault], of path: String, _ invocation: Invocation, output: Output
    ) -> Failure {
        if invocation.json {
            output.json(.array(faults.map(\.json)))
        } else {
            output.faults(faults.map(CheckCommand.rendered))
        }
        let errors = faults.filter { $0.severity == .error }.count
        output.error(
            errors == 0
                ? "\(path) could not be read"
                : "\(path) has \(counted(errors, "error", "errors")), so nothing can be explained; mend it, then try again"
        )
        return Failure(status: .usage)
    }

    private static func facts(
        from: String,
        _ invocation: Invocation,
        account: BareJID?
    ) throws(UsageError) -> SubscriptionFacts {
        let inRoster = invocation["in-roster"]
        let subscription = invocation["subscription"].flatMap(RosterFact.Subscription.init(rawValue:))
        if inRoster == "false", subscription != nil {
            throw UsageError("--in-roster false and --subscription contradict each other: leave one out")
        }
        let isItem = inRoster == "true" || subscription != nil
        let message = invocation["message"] ?? ""
        do {
            let asked = try invocation["account"].map { try BareJID($0) } ?? account ?? BareJID(anyAccount)
            return SubscriptionFacts(
                account: asked,
                contact: try BareJID(from),
                message: message.isEmpty ? nil : message,
                nickname: invocation["nickname"],
                rosterItem: isItem ? RosterFact(subscription: subscription ?? .none) : nil,
                token: invocation["token"].flatMap(TokenFact.init(rawValue:)) ?? .absent,
                moved: .known(invocation["moved"].flatMap(MoveFact.init(rawValue:)) ?? .absent),
                gateway: invocation["gateway"] == "true"
            )
        } catch {
            // The parser has read both addresses already.
            throw UsageError("'\(from)' is no address")
        }
    }
}
