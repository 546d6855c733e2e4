import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

extension ContactOrder {
    /// As the store keeps it.
    ///
    /// - Parameters:
    ///   - contact: To whom.
    ///   - account: Whose.
    ///   - author: Who wants it.
    ///   - item: What the roster has of the contact.
    ///   - session: The present one.
    /// - Returns: The action.
    func action(
        on contact: BareJID, of account: BareJID, by author: ContactAction.Author, item: RosterItem?, session: Int64
    ) -> ContactAction {
        let kind: ContactAction.Kind
        var work = ContactWork()
        switch self {
        case .add(let addition):
            kind = item == nil ? .add : .ask
            (work.name, work.groups) = (addition.name, addition.groups)
            (work.message, work.preApproves) = (addition.message, addition.preApproves && item?.seesAccount != true)
        case .rename(let name):
            kind = .rename
            (work.name, work.oldName) = (name, item?.name)
        case .group(let adding, let removing):
            kind = .group
            (work.groups, work.leaves) = (adding, removing)
        case .remove: kind = .remove
        case .preApprove(let name, let groups):
            kind = .preapprove
            (work.name, work.groups, work.preApproves) = (name, groups, true)
        case .unsubscribe: kind = .unsubscribe
        case .revoke: kind = .revoke
        }
        return ContactAction(
            kind, account: account, contact: contact, author: author, detail: detail, session: session, work: work)
    }

    /// As it was begun; nil where it is none of these.
    init?(_ action: ContactAction) {
        let work = action.work
        switch action.kind {
        case .add, .ask:
            self = .add(
                .init(
                    name: work.name, groups: work.groups, message: work.message, preApproves: work.preApproves))
        case .rename: self = .rename(work.name)
        case .group: self = .group(adding: work.groups, removing: work.leaves)
        case .remove: self = .remove
        case .preapprove: self = .preApprove(name: work.name, groups: work.groups)
        case .unsubscribe: self = .unsubscribe
        case .revoke: self = .revoke
        case .block, .unblock, .letIn: return nil
        }
    }

    /// Whether it approves its contact ahead.
    var preApproves: Bool {
        switch self {
        case .add(let addition): addition.preApproves
        case .preApprove: true
        case .rename, .group, .unsubscribe, .revoke, .remove: false
        }
    }

    /// To add who is seen or was asked, and to approve it ahead, is to approve it.
    func meant(for item: RosterItem?) -> ContactOrder {
        guard case .add(let addition) = self, addition.preApproves, let item, item.isSeen || item.asked,
            !item.seesAccount
        else { return self }
        return .preApprove(name: addition.name, groups: addition.groups)
    }

    /// The groups that a contact is in after it, in the order of before.
    func groups(of item: RosterItem?) -> [String] {
        let groups = item?.groups ?? []
        guard case .group(let adding, let removing) = self else { return groups }
        let kept = groups.filter { group in !removing.contains { sameBytes($0, group) } }
        return kept + adding.filter { group in !kept.contains { sameBytes($0, group) } }
    }

    /// Whether the item is so already.
    func changesNothing(of item: RosterItem) -> Bool {
        switch self {
        case .rename(let name): sameBytes(item.name, name)
        case .group: sameTexts(groups(of: item), item.groups)
        case .unsubscribe: !item.isSeen && !item.asked
        case .revoke: !item.seesAccount
        case .add, .remove, .preApprove: false
        }
    }

    /// In words for the history; the text that goes along with a request is left out, as all messages are.
    private var detail: String? {
        let parts: [String?]
        switch self {
        case .add(let addition):
            parts = [
                addition.name.map { "name “\($0)”" },
                addition.groups.isEmpty ? nil : "groups: " + addition.groups.joined(separator: ", "),
                addition.preApproves ? "approved before it asks" : nil,
            ]
        case .rename(let name): parts = [name.map { "name “\($0)”" } ?? "no name"]
        case .group(let adding, let removing):
            parts = [
                adding.isEmpty ? nil : "into: " + adding.joined(separator: ", "),
                removing.isEmpty ? nil : "out of: " + removing.joined(separator: ", "),
            ]
        case .remove, .unsubscribe, .revoke: parts = []
        case .preApprove(let name, let groups):
            parts = [
                name.map { "name “\($0)”" },
                groups.isEmpty ? nil : "groups: " + groups.joined(separator: ", "),
                "approved before it asks",
            ]
        }
        let words = parts.compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }
}

extension ContactOutcome {
    init(_ result: Result<Void, RosterError>, item: RosterItem?) {
        guard case .failure(let error) = result else {
            self = .done(.init())
            return
        }
        switch error.code {
        case .ownAddress: self = .ownAddress
        case .alreadyThere: self = item.map { .alreadyThere(RosterFact($0)) } ?? .busy
        case .notThere: self = .notThere
        case .notLoaded: self = .busy
        case _ where error.cause?.code == .busy: self = .busy
        case .notOffered: self = .noPreApproval
        // Part of it may be done.
        case .offline, .noReply: self = .unanswered
        case _: self = .refused(error.description)
        }
    }

    /// Whether the account's server has done it.
    var isDone: Bool { if case .done = self { true } else { false } }

    /// Why it was not done, in words for the history; nil where it was.
    var refusal: String? {
        switch self {
        case .done: nil
        case .unknownAccount: "no such account"
        case .offline: "the account is offline"
        case .busy: "its contacts are not there yet, or too many requests wait"
        case .ownAddress: "the account itself"
        case .alreadyThere: "it is a contact already"
        case .notThere: "it is no contact"
        case .blocked(let entry): "\(entry) is blocked"
        case .requestWaits: "it asks to add the account"
        case .noPreApproval: "the server keeps no approval before the request"
        case .refused(let words): words
        case .unanswered: "the server did not answer"
        }
    }

    /// The same for an action, half of which may be done: a contact that is in the list and was not asked.
    func refusal(of action: ContactAction, item: RosterItem?) -> String? {
        guard let refusal, action.kind == .add, let item, !item.asked, !item.isSeen else { return refusal }
        return "it is in the contact list, and was not asked: " + refusal
    }

    /// Why a server did not hand over that we ask; nil where it said nothing of that kind.
    var bounce: String? {
        if case .done(let report) = self { report.bounce } else { nil }
    }

    /// Why a server could not hand over yet that we ask; nil where it said nothing of that kind.
    var delay: String? {
        if case .done(let report) = self { report.delay } else { nil }
    }
}

extension ContactAction.Kind {
    /// What is told of it; a block list is told of elsewhere.
    var event: ContactEvent.Kind? {
        switch self {
        case .add: .added
        case .ask: .asked
        case .rename: .renamed
        case .group: .grouped
        case .remove: .removed
        case .preapprove: .preapproved
        case .letIn: .letIn
        case .unsubscribe: .unsubscribed
        case .revoke: .revoked
        case .block, .unblock: nil
        }
    }
}
