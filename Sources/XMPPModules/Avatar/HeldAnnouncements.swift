import XMPPCore

/// What is announced before it is known what was known before: of each contact the last of each kind, so that one who says
/// much takes nobody's place.
struct HeldAnnouncements: Sendable {
    /// Most contacts; one over that is looked at when it announces something again.
    static let limit = 10_000

    private struct Held: Sendable {
        var isRemoved = false
        var published: ContactAvatars.Event?
        var announced: ContactAvatars.Event?
    }

    private var isBegun = false
    private var contacts: [BareJID: Held] = [:]
    /// In the order in which they came.
    private var order: [BareJID] = []

    mutating func hold(_ event: ContactAvatars.Event) {
        switch event {
        case .announced(_, let contact): change(contact) { $0.announced = event }
        case .published(_, let contact): change(contact) { $0.published = event }
        // What it said until then was said by a contact.
        case .removed(let contact): change(contact) { $0 = Held(isRemoved: true) }
        case .began: isBegun = true
        // Nothing was asked for yet.
        case .claimed, .fetched, .woke, .rested: break
        }
    }

    /// What is to be handled now.
    var events: [ContactAvatars.Event] {
        var events: [ContactAvatars.Event] = isBegun ? [.began] : []
        for contact in order {
            guard let held = contacts[contact] else { continue }
            if held.isRemoved { events.append(.removed(contact)) }
            events += [held.published, held.announced].compactMap { $0 }
        }
        return events
    }

    private mutating func change(_ contact: BareJID, _ body: (inout Held) -> Void) {
        if contacts[contact] == nil {
            guard order.count < Self.limit else { return }
            order.append(contact)
        }
        body(&contacts[contact, default: Held()])
    }
}
