import DoorwardConfig
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// What came of one answer, in words and as the contract's object.
struct AnswerReport {
    /// Nil where it was done.
    let error: String?
    let json: JSONValue

    /// - Parameters:
    ///   - outcome: What the desk says.
    ///   - seen: The version that the answer named.
    ///   - now: For ages.
    ///   - accounts: Every account that is configured.
    init(_ outcome: AnswerOutcome, seen: Int?, at now: Timestamp, accounts: [BareJID: AccountStatus]) {
        func object(_ row: RequestRow, _ error: String?) -> JSONValue {
            row.json.adding("error", .text(error))
                .adding("account_state", .text(accounts[row.account]?.state.rawValue))
                .adding("account_mode", .text(accounts[row.account]?.mode.rawValue))
        }
        switch outcome {
        case .done(let row):
            error = nil
            json = object(row, nil)
        case .notFound(let id):
            let error = Self.noRequest(id)
            self.error = error
            json = Self.unknown(id, error)
        case .notOpen(let row, let answeredBy, let at):
            let ago = at.map { ", \(age(of: $0, at: now)) ago" } ?? ""
            let error = "\(row.id) \(Self.whyNotOpen(row, by: answeredBy, ago: ago))"
            self.error = error
            json = object(row, error)
        case .stale(let row):
            let error = Self.whyStale(row, seen: seen)
            self.error = error
            json = object(row, error)
        }
    }

    /// A number of which nothing is known, or nothing was looked up: all but it and the error is null.
    static func unknown(_ id: Int64, _ error: String) -> JSONValue {
        .missingRequest(id).adding("error", .string(error)).adding("account_state", .null)
            .adding("account_mode", .null)
    }

    static func noRequest(_ id: Int64) -> String {
        "there is no request \(id); 'doorward pending' shows those that wait"
    }

    /// What the version that was seen looked like is not kept, so the words say what it is now.
    private static func whyStale(_ row: RequestRow, seen: Int?) -> String {
        if let seen, seen > row.version {
            return "\(row.id) is at version \(row.version); there is no version \(seen)"
        }
        let message = row.message.map { "the message “\(shortened($0, to: 120))”" } ?? "no message"
        let nickname = row.nickname.map { "the nickname “\(shortened($0, to: 40))”" } ?? "no nickname"
        return "\(row.id) changed since you saw it: it is version \(row.version) now, with \(message) and \(nickname);"
            + " see 'doorward pending \(row.id)', then answer \(row.id)@\(row.version)"
    }

    private static func shortened(_ text: String, to limit: Int) -> String {
        let scalars = text.unicodeScalars
        var kept = ""
        kept.unicodeScalars.append(contentsOf: scalars.prefix(limit))
        return scalars.count > limit ? kept + "…" : kept
    }

    private static func whyNotOpen(_ row: RequestRow, by person: String?, ago: String) -> String {
        switch row.state {
        case .accepted, .rejected:
            "was already \(row.state.rawValue) by \(person ?? row.rule.map { "the rule '\($0)'" } ?? "the policy")\(ago)"
        case .held: "was already answered by \(person ?? "an operator")\(ago)"
        // By its sender, by the server that no longer delivers it, or since its account is gone: the row does not say.
        case .withdrawn: "is no longer on the desk: it was withdrawn\(ago) ('doorward history' says why)"
        case .answeredElsewhere: "was answered by another client of \(row.account)\(ago)"
        case .covered: "is decided by a standing answer\(ago)"
        case .recorded: "is not on the desk: it was decided and nothing is sent\(ago)"
        // An open row is never refused as not open; should the store say so, these words are still true.
        case .open: "could not be answered now; try again"
        }
    }
}
