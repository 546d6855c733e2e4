import Testing
import XMPPCore
import XMPPModules

/// Addresses that servers of RFC 6122 take for one and RFC 7622 does not: two users, until the server itself writes otherwise.
@Suite struct FoldedAddressTests {
    /// Two users each, by RFC 7622 section 3.3.2 and RFC 5895: nodeprep folds `ß` to `ss`, and `ς` to `σ`.
    private static let pairs = [
        ("straße@example.org", "strasse@example.org"), ("παΐς@example.org", "παΐσ@example.org"),
        ("ann@straße.example", "ann@strasse.example"), ("ann@παΐς.example", "ann@παΐσ.example"),
        ("straße@straße.example", "strasse@straße.example"),
    ]
    /// One user each.
    private static let spellings = [
        ("STRAßE@example.org", "straße@example.org"), ("ΠΑΊΣ@example.org", "παίσ@example.org"),
        ("ann@STRAßE.example", "ann@straße.example"), ("ann@xn--strae-oqa.example", "ann@straße.example"),
    ]

    private func request(_ from: String) throws -> Presence {
        try #require(Presence(xml("<presence type='subscribe' from='\(from)'/>")))
    }

    @Test("in a roster they are two items, and what is pushed of one leaves the other", arguments: pairs)
    func roster(first: String, second: String) throws {
        let roster = RosterModule.loaded([RosterXML.item(first, "both", name: "One")])
        roster.push(RosterXML.item(second, "to", name: "Two"))
        let (one, two) = (try BareJID(first), try BareJID(second))
        #expect(one != two)
        #expect(roster.items[one]?.name == "One" && roster.items[two]?.name == "Two")
        #expect(roster.mayKnow(one) && !roster.mayKnow(two))
        roster.push(RosterXML.item(second, "remove"))
        #expect(Array(roster.items.keys) == [one])
    }

    @Test("as requests they are two, and an answer to one leaves the other open", arguments: pairs)
    func requests(first: String, second: String) throws {
        let roster = RosterModule.loaded([RosterXML.item(first, "both")])
        var events: [SubscriptionModule.Event] = []
        let module = SubscriptionModule { events.append($0) }
        for sender in [first, second, first] { module.received(presence: try request(sender)) }
        #expect(module.pending.map(\.contact) == [try BareJID(first), try BareJID(second)])
        #expect(events.count == 3)
        // Nor does the one who is a contact speak for the other.
        #expect(roster.items[try BareJID(second)] == nil)
        module.received(presence: try #require(Presence(xml("<presence type='unsubscribe' from='\(first)'/>"))))
        #expect(module.pending.map(\.contact) == [try BareJID(second)])
    }

    @Test("a block of one covers not the other; nor does that of its domain", arguments: pairs)
    func blocks(first: String, second: String) throws {
        let (one, two) = (try BareJID(first), try BareJID(second))
        let module = BlockingModule(account: .bot)
        module.loaded(
            try xml("<blocklist xmlns='urn:xmpp:blocking'><item jid='\(first)'/></blocklist>"))
        #expect(module.list.isBlocked(one) && !module.list.isBlocked(two))
        let domain = BlockList([JID(one.server)])
        #expect(domain.isBlocked(one) && domain.isBlocked(two) == (one.server == two.server))
    }

    @Test("the spellings of one are one, wherever they stand", arguments: spellings)
    func spelled(first: String, second: String) throws {
        let roster = RosterModule.loaded([RosterXML.item(first, "both")])
        roster.push(RosterXML.item(second, "both", name: "Same"))
        let one = try BareJID(first)
        #expect(roster.items.count == 1 && roster.items[one]?.name == "Same")
        let module = SubscriptionModule { _ in }
        for sender in [first, second] { module.received(presence: try request(sender)) }
        #expect(module.pending.count == 1)
        #expect(BlockList([try JID(first)]).isBlocked(try BareJID(second)))
    }
}
