package import DoorwardConfig
package import DoorwardRuntime
package import DoorwardStore
import XMPPCore

// The objects of the `--json` contract. Names and meanings never change; new ones may be added.

extension JSONValue {
    static func time(_ moment: Timestamp?) -> JSONValue { .text(moment?.description) }

    static func address(_ address: BareJID?) -> JSONValue { .text(address?.description) }
}

extension RequestRow {
    /// An object of `pending`.
    package var json: JSONValue {
        .object([
            "id": .integer(id), "kind": .string("subscription"), "account": .address(account),
            "contact": .address(contact), "message": .text(message), "nickname": .text(nickname),
            "received_at": .time(receivedAt), "seen_count": .integer(seenCount), "rule": .text(rule),
            "policy": .text(policy), "version": .integer(version), "deadline": .null,
            "state": .string(state.rawValue), "moved_from": .address(move?.from),
            "moved": .text(move.map { $0.isVerified ? "verified" : "claimed" }),
            "token": .text(shown?.worth.rawValue), "invitation": shown?.id.map { .integer($0) } ?? .null,
        ])
    }
}

extension JSONValue {
    /// The object of `pending` for a number that no request has: all that is known is null.
    static func missingRequest(_ id: Int64) -> JSONValue {
        .object([
            "id": .integer(id), "kind": .null, "account": .null, "contact": .null, "message": .null, "nickname": .null,
            "received_at": .null, "seen_count": .null, "rule": .null, "policy": .null, "version": .null,
            "deadline": .null, "state": .null, "moved_from": .null, "moved": .null,
            "token": .null, "invitation": .null,
        ])
    }
}

extension HistoryRow {
    /// An object of `history`.
    package var json: JSONValue {
        .object([
            "id": .string(HistoryID.text(id)), "request": request.map { .integer($0) } ?? .null, "at": .time(at),
            "account": .address(account), "contact": .address(contact), "event": .string(event.rawValue),
            "decision": .text(decision), "by": .string(by), "rule": .text(rule), "operator": .text(`operator`),
            "reason": .text(reason), "policy": .text(policy), "policy_digest": .text(policyDigest),
            "sent_at": .time(sentAt), "state": .string(state.rawValue), "action": .text(action),
            "suggested_by": .address(suggestedBy),
        ])
    }
}

extension AlertRow {
    /// An object of `alerts`; without `cleared_at`, one of `status`, which shows only those that are not over.
    package func json(full: Bool) -> JSONValue {
        let object = JSONValue.object([
            "id": .integer(id), "at": .time(at), "account": .address(account), "code": .string(code),
            "text": .string(text),
        ])
        return full ? object.adding("cleared_at", .time(clearedAt)) : object
    }
}

extension ServiceStatus {
    /// The object of `status`.
    package var json: JSONValue {
        .object([
            "version": .string(version), "started_at": .time(startedAt),
            "alerts": .array(alerts.map { $0.json(full: false) }), "accounts": .array(accounts.map(\.json)),
        ])
    }
}

extension AccountStatus {
    var json: JSONValue {
        .object([
            "jid": .address(jid), "state": .string(state.rawValue), "since": .time(since), "policy": .string(policy),
            "mode": .string(mode.rawValue), "contacts": contacts.map { .integer($0) } ?? .null,
            "pending": .integer(pending), "last_error": .text(lastError),
            "resumed_at": .time(resumedAt), "modules": .array(modules.map(\.json)),
        ])
    }
}

extension Fault {
    /// An object of `check`.
    package var json: JSONValue {
        .object([
            "path": .string(path), "line": .integer(line), "column": .integer(column),
            "severity": .string(severity.rawValue), "code": .string(code), "message": .string(message),
            "suggestion": .text(suggestion),
        ])
    }
}

extension ReloadOutcome {
    /// The object of `reload`; the lists are empty where nothing changed.
    package var json: JSONValue {
        func addresses(_ list: [BareJID]?) -> JSONValue { .array((list ?? []).map { .address($0) }) }
        return .object([
            "started": addresses(change?.started), "stopped": addresses(change?.stopped),
            "updated": addresses(change?.updated), "restarted": addresses(change?.restarted),
            "faults": .array(faults.map(\.json)),
        ])
    }
}
