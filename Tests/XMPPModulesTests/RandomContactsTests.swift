import Testing
import XMPPClient
import XMPPCore

@testable import XMPPModules

/// What a server or a contact may send, at random: nothing traps, and all parts stay of one mind.
@Suite struct RandomContactsTests {
    private static let words = [
        "", "none", "to", "from", "both", "remove", "subscribe", "true", "away", "-1", "127", "999", "\u{0}",
        "\u{202E}x",
        "caf\u{E9}", "\u{FDFA}\u{FDFA}", "2026-01-01T00:00:00Z", "a@b", String(repeating: "\u{301}", count: 600),
    ]
    private static let addresses = [
        "ally@example.org", "ALLY@example.org/x", "example.org", "@", "a@b@c", "new@example.net", "\u{DF}@example.org",
        "",
        "bot@example.org",
    ]

    private var random = SplitMix(seed: 6121)

    private mutating func word() -> String { Self.words.randomElement(using: &random) ?? "" }

    private mutating func item() -> Element {
        var item = Element("item", namespace: Namespace.roster)
        item[attribute: "jid"] = Self.addresses.randomElement(using: &random)
        for name in ["subscription", "name", "ask", "approved"] where Bool.random(using: &random) {
            item[attribute: name] = word()
        }
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            item.children.append(
                .element(Element("group", namespace: Namespace.roster, children: [.text(word()), .text(word())])))
        }
        return item
    }

    private mutating func presence() -> Presence {
        let types: [PresenceType] = [
            .available, .available, .available, .unavailable, .subscribe, .subscribed, .unsubscribe, .unsubscribed,
            .error,
            .probe, .other("x"),
        ]
        let contacts: [BareJID] = [
            .ally, .new, .bot, .ghost, BareJID(preparedLocal: nil, preparedDomain: "example.org"),
        ]
        let contact = contacts.randomElement(using: &random) ?? .ally
        let from = Bool.random(using: &random) ? JID(contact) : contact.at("r\(Int.random(in: 0..<80, using: &random))")
        var children = ["show", "status", "priority"].map { PresenceXML.text($0, word()) }
        children.append(Element("idle", namespace: Namespace.idle, attributes: [.init("since", word())]))
        return PresenceXML.make(types.randomElement(using: &random) ?? .available, from: from, id: word(), children)
    }

    @Test("pushes, loads and presences at random")
    func walk() throws {
        var tests = self
        let roster = RosterModule(account: .bot, cached: Roster(), version: nil) { _ in }
        let presence = PresenceModule(account: .bot, roster: roster)
        let subscriptions = SubscriptionModule(roster: roster) { _ in }
        let list = ContactList(roster: roster, presence: presence, order: .presence)
        let router = StanzaRouter(modules: [roster, subscriptions, presence, list])
        var mirror = Roster()
        roster.listen { event in
            switch event {
            case .changed(.set(let item), let before, _): #expect(mirror.set(item) == before)
            case .changed(.remove(let jid), let before, _): #expect(mirror.remove(jid) == before)
            case .ended(.whole): mirror = roster.items
            case .began, .item, .ended, .refused, .left: break
            }
        }
        for step in 0..<1200 {
            switch Int.random(in: 0..<20, using: &tests.random) {
            case 0:
                roster.loaded(RosterXML.query((0..<5).map { _ in tests.item() }, version: tests.word()))
            case 1..<9:
                let stanza = try #require(Stanza(RosterXML.push(tests.item(), version: tests.word()).element))
                #expect(router.route(stanza) != nil)
            case _:
                #expect(router.route(.presence(tests.presence())) == nil)
            }
            #expect(mirror == roster.items)
            if step % 40 == 0 {
                let expected = RosterView(roster.items, order: .presence) { presence.show(of: $0) }
                #expect(list.view.elementsEqual(expected), "step \(step)")
                _ = list.view.search(tests.word())
            }
        }
        #expect(roster.items.count <= Self.addresses.count && presence.count <= 4 * PresenceModule.limitOfOne)
    }
}
