import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import XMPPCore

/// What came of a command about a contact, in words and as the contract's object.
struct ContactReport {
    let account: BareJID
    let contact: BareJID
    let outcome: ContactOutcome
    /// What `status` says of the account; nil where it is not there.
    let state: AccountStatus.State?

    /// A word that scripts can rely on.
    var code: String {
        switch outcome {
        case .done(let report): report.bounce == nil ? "done" : "not_delivered"
        case .unknownAccount: "unknown_account"
        case .offline: "offline"
        case .busy: "busy"
        case .ownAddress: "own_address"
        case .alreadyThere: "already_there"
        case .notThere: "not_there"
        case .blocked: "blocked"
        case .noPreApproval: "no_pre_approval"
        case .refused: "refused"
        case .unanswered: "unanswered"
        }
    }

    /// Nil where it was done.
    var error: String? {
        switch outcome {
        case .done(let report):
            report.bounce.map {
                "\(contact) is in the list, but its server did not take the request: \($0);"
                    + " mend the address, or 'doorward contact remove \(account) \(contact)'"
            }
        case .unknownAccount: "there is no account \(account); 'doorward status' shows the accounts"
        case .offline:
            "\(account) is \(state == .online ? "not ready" : state?.rawValue ?? "not running"): nothing was sent, and"
                + " nothing waits; try again when 'doorward status' shows it online"
        case .busy: "\(account) is busy with other changes: nothing was sent; try again in a moment"
        case .ownAddress: "\(contact) is the account itself; give the address of somebody else"
        case .alreadyThere(let item): Self.alreadyThere(contact, account, item)
        case .notThere:
            "\(contact) is no contact of \(account); 'doorward roster \(account)' shows them"
        case .blocked(let entry):
            "\(account) blocks \(entry), so neither hears of the other: nothing was sent;"
                + " 'doorward block remove \(account) \(entry)' first"
        case .noPreApproval:
            "the server of \(account) does not keep approvals (RFC 6121 section 3.4): add \(contact) without"
                + " --preapprove, and accept its request when it comes"
        case .refused(let words): "the server refused it: \(words)"
        case .unanswered:
            "the server did not answer, so it may or may not be done; 'doorward roster \(account)' shows it once the"
                + " account is online again"
        }
    }

    private static func alreadyThere(_ contact: BareJID, _ account: BareJID, _ item: RosterFact) -> String {
        let state: String
        switch item.subscription {
        case .both: state = "both see each other"
        case .to: state = "the account sees it"
        case .from: state = "it sees the account"
        case .none: state = "neither sees the other"
        }
        let asked =
            item.asked ? ", and it was asked and has not answered ('doorward contact list \(account) --asked')" : ""
        return "\(contact) is a contact of \(account) already: \(item.subscription.rawValue), \(state)\(asked)"
    }

    var json: JSONValue {
        let item: RosterFact?
        var request: Int64?
        switch outcome {
        case .done(let report): (item, request) = (report.item, report.request)
        case .alreadyThere(let there): item = there
        case .unknownAccount, .offline, .busy, .ownAddress, .notThere, .blocked, .noPreApproval, .refused, .unanswered:
            item = nil
        }
        return .object([
            "account": .address(account), "contact": .address(contact), "outcome": .string(code),
            "name": .text(item?.name), "subscription": .text(item?.subscription.rawValue),
            "asked": item.map { .bool($0.asked) } ?? .null, "groups": item.map { .groups($0.groups) } ?? .null,
            "request": request.map { .integer($0) } ?? .null, "error": .text(error),
        ])
    }
}
