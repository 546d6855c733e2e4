import XMPPCore

/// An account as the server keeps it: a pure value that follows RFC 6121 sections 2 and 3.
struct ServerAccount {
    let jid: BareJID
    var password: String
    /// The SASL condition with which its logins are refused; nil lets it in.
    var refusal: String?
    /// The number of its present session's connection.
    var connection: Int?
    /// Whether that session has sent initial presence.
    var isAvailable = false
    var roster: [ServerRosterItem] = []
    /// Counts the changes of the roster.
    var rosterVersion = 1
    /// Requests that wait for an answer, as they were sent, in order.
    var requests: [(contact: BareJID, stanza: Element)] = []
    var blocked: [BareJID] = []
    /// Tokens that may be shown in place of the password, oldest first.
    var tokens: [ServerToken] = []

    init(jid: BareJID, password: String) {
        self.jid = jid
        self.password = password
    }

    func item(_ contact: BareJID) -> ServerRosterItem? { roster.first { $0.jid == contact } }

    /// Changes an item, making it where there is none.
    ///
    /// - Returns: The push that says so.
    mutating func change(_ contact: BareJID, _ body: (inout ServerRosterItem) -> Void) -> Element {
        if let index = roster.firstIndex(where: { $0.jid == contact }) {
            body(&roster[index])
            return roster[index].element
        }
        var item = ServerRosterItem(contact)
        body(&item)
        roster.append(item)
        return item.element
    }

    /// A presence of the account about a subscription.
    ///
    /// - Returns: The item to push, if any.
    mutating func sent(_ type: PresenceType, to contact: BareJID, keepsPreApprovals: Bool) -> Element? {
        let waits = requests.contains { $0.contact == contact }
        requests.removeAll { $0.contact == contact && (type == .subscribed || type == .unsubscribed) }
        switch type {
        case .subscribed where waits:
            return change(contact) { $0.set(from: true) }
        case .subscribed:
            guard keepsPreApprovals, item(contact)?.seesAccount != true else { return nil }
            return change(contact) { $0.approved = true }
        case .unsubscribed:
            // As on Prosody, a pre-approval stays.
            guard item(contact)?.seesAccount == true else { return nil }
            return change(contact) { $0.set(from: false) }
        case .subscribe:
            guard item(contact)?.isSeen != true else { return nil }
            return change(contact) { $0.asked = true }
        case .unsubscribe:
            guard item(contact) != nil else { return nil }
            return change(contact) {
                $0.set(to: false)
                $0.asked = false
            }
        case .available, .unavailable, .probe, .error, .other:
            return nil
        }
    }

    /// A roster set.
    ///
    /// - Returns: The item to push, or nil where the server refuses it.
    mutating func set(_ item: Element) -> Element? {
        guard let text = item[attribute: "jid"], let contact = try? BareJID(text) else { return nil }
        if item[attribute: "subscription"] == "remove" {
            guard self.item(contact) != nil else { return nil }
            roster.removeAll { $0.jid == contact }
            return Element(
                "item",
                namespace: Namespace.roster,
                attributes: [.init("jid", contact.description), .init("subscription", "remove")]
            )
        }
        let groups = item.elements.filter { $0.matches("group", Namespace.roster) }.map(\.text)
        guard groups.allSatisfy({ !$0.isEmpty }), Set(groups).count == groups.count else { return nil }
        return change(contact) {
            $0.name = item[attribute: "name"]
            $0.groups = groups
            $0.approved = false
        }
    }
}
