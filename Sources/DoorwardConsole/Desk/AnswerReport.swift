import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// What came of one answer, in words and as the contract's object.
struct AnswerReport {
    /// Nil where it was done.
    let error: String?
    let json: JSONValue

    init(_ outcome: AnswerOutcome, at now: Timestamp, accountStates: [BareJID: AccountStatus.State]) {
        func object(_ row: RequestRow, _ error: String?) -> JSONValue {
            row.json.adding("error", .text(error))
                .adding("account_state", .text(accountStates[row.account]?.rawValue))
        }
        switch outcome {
        case .done(let row):
            error = nil
            json = object(row, nil)
        case .notFound(let id):
            let error = "there is no request \(id); 'doorward pending' shows those that wait"
            self.error = error
            json = .object(["id": .integer(id), "error": .string(error)])
        case .notOpen(let row, let answeredBy, let at):
            let error =
                "\(row.id) \(Self.whyNotOpen(row, by: answeredBy))" + (at.map { ", \(age(of: $0, at: now)) ago" } ?? "")
            self.error = error
            json = object(row, error)
        case .stale(let row):
            let error =
                "\(row.id) changed since you saw it: its message or nickname is another one, it is version"
                + " \(row.version) now; see 'doorward pending', then answer \(row.id)@\(row.version)"
            self.error = error
            json = object(row, error)
        }
    }

    private static func whyNotOpen(_ row: RequestRow, by person: String?) -> String {
        switch row.state {
        case .accepted, .rejected:
            "was already \(row.state.rawValue) by \(person ?? row.rule.map { "the rule '\($0)'" } ?? "the policy")"
        case .held: "was already answered by \(person ?? "an operator")"
        case .withdrawn: "was withdrawn by its sender"
        case .answeredElsewhere: "was answered by another client of \(row.account)"
        case .covered: "is decided by a standing answer"
        case .recorded: "is not on the desk: it was decided and nothing is sent"
        // An open row is never refused as not open; should the store say so, these words are still true.
        case .open: "could not be answered now; try again"
        }
    }
}
