import Testing
import XMPPCore

@testable import XMPPModules

/// Whose presence is kept, as the roster says it before, with and after.
@Suite struct PresenceAndRosterTests {
    @Test("presences that come before the roster wait for it, in order, and strangers' among them are let go")
    func early() {
        let parts = PresenceParts(loaded: false)
        parts.show(BareJID.ghost.at("x"))
        parts.show(BareJID.ally.at("a"))
        parts.show(BareJID.ally.at("b"))
        parts.receive(.unavailable, BareJID.ally.at("a"))
        #expect(parts.events.isEmpty)
        parts.load()
        #expect(parts.resources(.ally) == ["b"] && parts.resources(.ghost) == [] && parts.events.count == 3)
        let many = PresenceParts(loaded: false)
        for number in 0..<PresenceModule.earlyLimit + 100 {
            many.show(BareJID.ally.at("r\(number % 10)"))
            if number == PresenceModule.earlyLimit { many.show(BareJID.ally.at("late")) }
        }
        many.load()
        #expect(many.resources(.ally).count == 10 && many.events.count == PresenceModule.earlyLimit)
    }

    @Test("resources over the bound are not known, those within it stay and change, and a place that is left is taken")
    func bounded() {
        let parts = PresenceParts(loaded: false)
        let (limit, each) = (PresenceModule.limit, 50)
        let count = limit / each
        let contacts = (0...count).map { BareJID.of("c\($0)") }
        parts.roster.loaded(RosterXML.query(contacts.map { RosterXML.item($0.description, "both") }))
        for contact in contacts { for number in 0..<each { parts.show(contact.at("r\(number)")) } }
        let (first, over) = (contacts[0], contacts[count])
        #expect(parts.presence?.count == limit && parts.events.count == limit)
        #expect(parts.resources(over) == [] && parts.presence?.isAvailable(over) == false)
        #expect(contacts.dropLast().allSatisfy { parts.resources($0).count == each })
        // Also of one who is there, and of the account itself.
        parts.show(first.at("more"))
        parts.show(BareJID.bot.at("phone"))
        #expect(parts.events.count == limit && parts.presence?.ownResources.isEmpty == true)
        parts.show(first.at("r1"), "away")
        #expect(parts.events.count == limit + 1)
        #expect(parts.presence?.resources(of: first)[1].presence.show == .away)
        parts.receive(.unavailable, first.at("r0"))
        parts.show(over.at("r0"))
        #expect(parts.resources(over) == ["r0"] && parts.presence?.count == limit)
        parts.presence?.restored(contacts.flatMap { contact in (0..<each).map { contact.at("r\($0)") } })
        #expect(parts.presence?.count == limit && parts.resources(over) == [])
    }

    @Test("a listener that brings more while early presences are told loses nothing (XMPPFramework #573)")
    func reentered() {
        let parts = PresenceParts(loaded: false)
        var isDone = false
        parts.presence?.listen { event in
            guard case .available(let jid, _, _) = event, jid.resource == "a", !isDone else { return }
            isDone = true
            parts.show(BareJID.ally.at("c"))
        }
        parts.show(BareJID.ally.at("a"))
        parts.show(BareJID.ally.at("b"))
        parts.load()
        #expect(Set(parts.resources(.ally)) == ["a", "b", "c"])
    }

    @Test("what the account does not see any more is void: cancelled, removed, or left by the account at once")
    func voided() {
        let parts = PresenceParts()
        parts.show(BareJID.ally.at("a"))
        parts.roster.push(RosterXML.item("ally@example.org", "from"))
        #expect(parts.resources(.ally) == [] && parts.events.last == .gone(.ally))
        // Directed presence of one who is in the roster is kept.
        parts.show(BareJID.ally.at("a"))
        parts.roster.push(RosterXML.item("ally@example.org", "remove"))
        #expect(parts.resources(.ally) == [])
        parts.roster.push(RosterXML.item("ally@example.org", "to"))
        parts.show(BareJID.ally.at("a"))
        parts.roster.tell(.left(.ally))
        #expect(parts.resources(.ally) == [])
        // What was on its way does not bring it back.
        parts.show(BareJID.ally.at("a"), "away")
        #expect(parts.resources(.ally) == [])
        parts.roster.push(RosterXML.item("ally@example.org", "none"))
        parts.roster.push(RosterXML.item("ally@example.org", "to"))
        parts.show(BareJID.ally.at("a"))
        #expect(parts.resources(.ally) == ["a"])
    }
}
