import Testing
import XMPPCore

@testable import XMPPModules

/// The roster as people read it: sorted, searched, and live.
@Suite struct RosterViewTests {
    private static let names = [
        "bob", "Alice", "\u{C9}mile", "emil", "Zo\u{EB}", "\u{5F20}\u{4F1F}", "\u{DF}anna", nil,
    ]

    private static let roster = Roster(
        names.enumerated().map { number, name in
            RosterItem(
                jid: .of("u\(number)"), name: name, subscription: .both,
                groups: number.isMultiple(of: 2) ? ["Friends"] : number == 1 ? ["Ops", "Friends"] : [])
        })

    @Test("contacts are sorted by folded name, then by address, whatever the language of the machine")
    func sorted() {
        let view = RosterView(Self.roster)
        #expect(
            view.map(\.item.displayName) == [
                "Alice", "bob", "emil", "\u{DF}anna", "u7", "Zo\u{EB}", "\u{C9}mile", "\u{5F20}\u{4F1F}",
            ])
        #expect(view.count == 8 && view.order == .name && view[0].item.name == "Alice" && view[0].show == nil)
        let twins: Roster = [RosterItem(jid: .of("b"), name: "X"), RosterItem(jid: .of("a"), name: "x")]
        #expect(RosterView(twins).map(\.item.jid) == [.of("a"), .of("b")])
    }

    @Test("or by who is there: chat, online, away, xa, dnd, then the rest by name")
    func byPresence() {
        let shows: [BareJID: ResourcePresence.Show] = [
            .of("u0"): .doNotDisturb, .of("u1"): .away, .of("u2"): .chat, .of("u3"): .online, .of("u4"): .extendedAway,
        ]
        let view = RosterView(Self.roster, order: .presence) { shows[$0] }
        #expect(
            view.map(\.item.jid.local) == ["u2", "u3", "u1", "u4", "u0", "u6", "u7", "u5"])
        #expect(view[.of("u1")]?.show == .away && view[.of("u7")]?.show == nil && view[.ghost] == nil)
    }

    @Test("a search finds names, addresses and groups, without regard to case and width")
    func search() {
        let view = RosterView(Self.roster)
        func found(_ text: String) -> [String] { view.search(text).compactMap { $0.item.jid.local } }
        #expect(found("ALI") == ["u1"] && found("mil") == ["u3", "u2"] && found("\u{E9}MILE") == ["u2"])
        #expect(found("SSAN") == ["u6"] && found("\u{4F1F}") == ["u5"] && found("\u{FF21}lice") == ["u1"])
        #expect(found("u7@EXAMPLE") == ["u7"] && found("example.org").count == 8 && found("nobody") == [])
        #expect(found("ops") == ["u1"] && found("friends").count == 5 && found("").count == 8)
        #expect(view.groups == ["Friends", "Ops"])
        #expect(view.contacts(inGroup: "Ops").map(\.item.jid) == [.of("u1")])
        #expect(view.contacts(inGroup: "ops").isEmpty && view.contacts(inGroup: nil).count == 3)
    }

    @Test("a search costs what the texts are long, also for the text that would make it slow")
    func hostileSearch() {
        let name = String(repeating: "a", count: 1000)
        let view = RosterView(Roster((0..<200).map { RosterItem(jid: .of("u\($0)"), name: name) }))
        #expect(view.search(String(repeating: "a", count: 500) + "b").isEmpty)
        #expect(view.search(name).count == 200)
        let search = TextSearch("abcabcabd")
        #expect(search.isIn("xxabcabcabcabdyy") && !search.isIn("abcabcabcabc") && !search.isIn("abcabcab"))
    }

    /// What the live list must be: a new view of the same.
    private static func expected(_ roster: Roster, _ shows: [BareJID: ResourcePresence.Show], _ order: RosterView.Order)
        -> [RosterView.Contact]
    {
        Array(RosterView(roster, order: order) { shows[$0] })
    }

    @Test("after any changes the live list is what sorting anew would give", arguments: RosterView.Order.allCases)
    func live(order: RosterView.Order) {
        var random = SplitMix(seed: 77)
        let roster = RosterModule.loaded(
            (0..<30).map { RosterXML.item("u\($0)@example.org", "both", name: "N\($0 % 7)") })
        let presence = PresenceModule(account: .bot, roster: roster)
        let list = ContactList(roster: roster, presence: presence, order: order)
        var views: [(view: RosterView, copy: [RosterView.Contact])] = []
        for step in 0..<1500 {
            let number = Int.random(in: 0..<40, using: &random)
            let (jid, name) = (BareJID.of("u\(number)"), "N\(Int.random(in: 0..<20, using: &random))")
            switch Int.random(in: 0..<8, using: &random) {
            case 0: roster.push(RosterXML.item("u\(number)@example.org", "remove"))
            case 1: roster.push(RosterXML.item("u\(number)@example.org", "both", name: name, groups: ["G\(step % 5)"]))
            case 2: roster.push(RosterXML.item("u\(number)@example.org", "none", name: name))
            case 3: presence.received(presence: PresenceXML.make(.unavailable, from: JID(jid)))
            case _:
                let show = ["chat", "away", "xa", "dnd", ""].randomElement(using: &random) ?? ""
                presence.received(
                    presence: PresenceXML.make(from: jid.at("r\(step % 3)"), [PresenceXML.text("show", show)]))
            }
            if step % 50 == 0 {
                let view = list.view
                var shows: [BareJID: ResourcePresence.Show] = [:]
                for item in roster.items { shows[item.jid] = presence.show(of: item.jid) }
                #expect(Array(view) == Self.expected(roster.items, shows, order), "step \(step)")
                views.append((view, Array(view)))
            }
        }
        // What was taken before has not changed.
        for (view, copy) in views { #expect(Array(view) == copy) }
    }

    @Test("the stream tells each change with its number; a view says up to which it has them")
    func stream() async throws {
        let roster = RosterModule.loaded([RosterXML.item("ally@example.org", "both", name: "Ally")])
        let presence = PresenceModule(account: .bot, roster: roster)
        var list: ContactList? = ContactList(roster: roster, presence: presence)
        let stream = try #require(list?.changes())
        roster.push(RosterXML.item("ally@example.org", "both", name: "Other"))
        presence.received(presence: PresenceXML.make(from: BareJID.ally.at("a")))
        presence.received(presence: PresenceXML.make(from: BareJID.ally.at("b")))
        #expect(list?.view.number == 3)
        roster.push(RosterXML.item("ally@example.org", "remove"))
        roster.push(RosterXML.item("ghost@example.net", "remove"))
        roster.push(RosterXML.item("ally@example.org"))
        roster.loaded(nil)
        list = nil
        var kinds: [RosterChange.Kind] = []
        var numbers: [UInt64] = []
        var new: [UInt64] = []
        for await change in stream {
            if change.isNew { new.append(change.number) }
            kinds.append(change.kind)
            numbers.append(change.number)
        }
        #expect(
            kinds == [
                .item(RosterItem(jid: .ally, name: "Other", subscription: .both)), .presence(.ally, .online),
                .presence(.ally, .online), .removed(.ally), .item(RosterItem(jid: .ally)), .loaded,
            ])
        #expect(numbers == [1, 2, 3, 4, 5, 6] && new == [5])
    }

    @Test("a reader that is too slow loses the oldest, sees that by the numbers, and a view has all")
    func slowReader() async throws {
        let roster = RosterModule.loaded([])
        var list: ContactList? = ContactList(roster: roster)
        let stream = try #require(list?.changes())
        for number in 0..<ContactList.streamBound + 44 { roster.push(RosterXML.item("u\(number)@example.org")) }
        let view = list?.view
        list = nil
        var numbers: [UInt64] = []
        for await change in stream { numbers.append(change.number) }
        #expect(numbers.count == ContactList.streamBound && numbers.first == 45)
        #expect(view?.count == 300 && view?.number == 300)
    }
}
