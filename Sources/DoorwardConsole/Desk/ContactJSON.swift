import DoorwardPolicy
package import DoorwardRuntime
package import DoorwardStore
package import XMPPCore

// The objects of the `--json` contract that are about contacts. Names and meanings never change; new ones may be added.

extension RosterSnapshot {
    /// The array of `roster`.
    package var json: JSONValue { .array(items.map { $0.json(asOf: asOf) }) }
}

extension RosterSnapshot.Item {
    /// An object of `roster`; `asOf` is until when it is known to have been so, nil while the account is online.
    package func json(asOf: Timestamp?) -> JSONValue {
        base.adding("last_seen", .time(evidence?.lastPresence))
            .adding("presence", .text(isPresent.map { $0 ? "available" : "unavailable" }))
            .adding("show", .text(show)).adding("status", .text(status))
            .adding("idle_since", .time(idleSince))
            .adding("resources", resources.map { .array($0.map(\.json)) } ?? .null)
            .adding("first_known", .time(evidence?.firstKnown))
            .adding("added_by", .text(evidence?.addedBy.rawValue))
            .adding("as_of", .time(asOf)).adding("approved", .bool(isApproved))
    }

    /// An object of `contact list`.
    package func evidenceJSON(asOf: Timestamp?) -> JSONValue {
        base.adding(evidence).adding("as_of", .time(asOf)).adding("approved", .bool(isApproved))
    }

    private var base: JSONValue {
        .object([
            "jid": .address(jid), "name": .text(name), "subscription": .string(subscription),
            "asked": .bool(asked), "groups": .groups(groups),
        ])
    }
}

extension ResourceRow {
    /// An object in `resources` of `roster`; `resource` is null where the bare address itself is available.
    fileprivate var json: JSONValue {
        .object([
            "resource": .text(jid.resource), "priority": .integer(Int(priority)), "show": .string(show.rawValue),
            "status": .text(status), "idle_since": .time(idleSince), "at": .time(at),
        ])
    }
}

extension GoneContact {
    /// An object of `contact list --gone`.
    package var json: JSONValue {
        JSONValue.object([
            "jid": .address(contact.jid), "name": .text(contact.item.name),
            "subscription": .string(contact.item.subscription.rawValue), "asked": .bool(contact.item.asked),
            "groups": .groups(contact.item.groups),
        ])
        .adding(evidence).adding("removed_at", .time(at)).adding("removed_by", .string(by.rawValue))
        .adding("removed_by_name", .text(`operator`))
    }
}

extension JSONValue {
    /// The groups of a contact; a roster has them in no order (RFC 6121 section 2.1.2.6), a program that compares wants one.
    static func groups(_ groups: some Sequence<String>) -> JSONValue {
        .strings(groups.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    fileprivate func adding(_ evidence: ContactEvidence?) -> JSONValue {
        adding("asked_at", .time(evidence?.askedAt)).adding("refused_at", .time(evidence?.refusedAt))
            .adding("refusal", .text(evidence?.refusal)).adding("first_known", .time(evidence?.firstKnown))
            .adding("added_by", .text(evidence?.addedBy.rawValue)).adding("added_by_name", .text(evidence?.addedName))
            .adding("last_presence", .time(evidence?.lastPresence))
            .adding("last_message_in", .time(evidence?.lastMessageIn))
            .adding("last_message_out", .time(evidence?.lastMessageOut))
            .adding("last_avatar_change", .time(evidence?.lastAvatarChange))
    }
}
