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
    /// What the list has of a contact that was to be added, where no answer came.
    var there: RosterSnapshot.Item?

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
        case .alreadyThere(let item): alreadyThere(item)
        case .notThere:
            "\(contact) is no contact of \(account); 'doorward roster \(account)' shows them"
        case .blocked(let entry):
            "\(account) blocks \(entry), so neither hears of the other: nothing was sent;"
                + " 'doorward block remove \(account) \(entry)' first"
        case .noPreApproval:
            "the server of \(account) does not keep approvals (RFC 6121 section 3.4): add \(contact) without"
                + " --preapprove, and accept its request when it comes"
        case .refused(let words): "the server refused it: \(words)"
        case .unanswered where there != nil:
            "\(contact) is in the contact list of \(account)\(there?.asked == true ? ", and was asked" : "");"
                + " the server did not answer to the rest, which is done when the account is online again, and"
                + " 'doorward history' says so"
        case .unanswered:
            "the server did not answer, so it may or may not be done; what is not is finished when the account is online"
                + " again, and 'doorward history' says so"
        }
    }

    private func alreadyThere(_ item: RosterFact) -> String {
        let there = "\(contact) is a contact of \(account) already: \(item.subscription.rawValue), "
        switch item.subscription {
        case .both: return there + "both see each other; 'doorward contact rename' and 'contact group' change it"
        case .to:
            return there + "the account sees it; whether it adds the account is up to it"
        case .from, .none:
            return there + "and it was asked and has not answered: 'doorward contact list \(account) --asked' shows how"
                + " long, 'doorward contact remove \(account) \(contact)' gives up"
        }
    }

    var json: JSONValue {
        let item: RosterFact?
        var (request, delay, isUnchanged) = (Int64?.none, String?.none, false)
        switch outcome {
        case .done(let report):
            (item, request, delay, isUnchanged) = (report.item, report.request, report.delay, report.isUnchanged)
        case .alreadyThere(let there): item = there
        case .unknownAccount, .offline, .busy, .ownAddress, .notThere, .blocked, .noPreApproval, .refused, .unanswered:
            item = nil
        }
        return .object([
            "account": .address(account), "contact": .address(contact), "outcome": .string(code),
            "name": .text(item?.name ?? there?.name),
            "subscription": .text(item?.subscription.rawValue ?? there?.subscription),
            "asked": (item?.asked ?? there?.asked).map { .bool($0) } ?? .null,
            "groups": (item?.groups ?? there?.groups).map { .groups($0) } ?? .null,
            "request": request.map { .integer($0) } ?? .null, "error": .text(error),
            "delayed": .text(delay), "unchanged": .bool(isUnchanged),
        ])
    }
}
