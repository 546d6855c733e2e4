import XMPPCore

@testable import XMPPModules

/// A roster with `ally` (both), `fan` (from) and `asked` (asked), and what follows it.
final class PresenceParts {
    var now = Timestamp(milliseconds: 1_767_225_600_000)
    var events: [PresenceEvent] = []
    let roster: RosterModule
    private(set) var presence: PresenceModule?

    init(loaded: Bool = true) {
        roster = RosterModule(account: .bot, cached: Roster(), version: nil) { _ in }
        presence = PresenceModule(account: .bot, roster: roster, clock: { [unowned self] in now }) {
            [unowned self] in events.append($0)
        }
        if loaded { load() }
    }

    func load() {
        roster.loaded(
            RosterXML.query([
                RosterXML.item("ally@example.org", "both"), RosterXML.item("fan@example.org", "from"),
                RosterXML.item("asked@example.org", asked: true),
            ]))
    }

    func receive(
        _ type: PresenceType = .available, _ from: JID, _ children: [Element] = []
    ) {
        presence?.received(presence: PresenceXML.make(type, from: from, children))
    }

    func show(_ from: JID, _ show: String? = nil, priority: String? = nil, status: String? = nil) {
        var children: [Element] = []
        if let show { children.append(PresenceXML.text("show", show)) }
        if let priority { children.append(PresenceXML.text("priority", priority)) }
        if let status { children.append(PresenceXML.text("status", status)) }
        receive(.available, from, children)
    }

    func resources(_ contact: BareJID) -> [String] {
        presence?.resources(of: contact).map { $0.resource ?? "-" } ?? []
    }
}
