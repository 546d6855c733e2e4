import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// The roster's payloads, and the mirror that follows the server's pushes.
@Suite struct RosterTests {
    private static let account = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
    private static let ally = BareJID(preparedLocal: "ally", preparedDomain: "example.org")
    private static let new = BareJID(preparedLocal: "new", preparedDomain: "example.net")

    private func item(_ jid: String, _ attributes: [(String, String)] = [], groups: [String] = []) -> Element {
        Element(
            "item", namespace: Namespace.roster,
            attributes: [.init("jid", jid)] + attributes.map { .init($0.0, $0.1) },
            children: groups.map { .element(Element("group", namespace: Namespace.roster, children: [.text($0)])) })
    }

    private func query(_ items: [Element]) -> Element {
        Element("query", namespace: Namespace.roster, children: items.map(Element.Node.element))
    }

    private func push(_ items: [Element], from: String?, type: String = "set") throws -> IQ {
        var element = Element(
            "iq", namespace: Namespace.client, attributes: [.init("type", type), .init("id", "p1")],
            children: [.element(query(items))])
        element[attribute: "from"] = from
        return try #require(IQ(element))
    }

    /// A mirror that holds `ally` with both.
    private func mirror(_ onChange: @escaping (RosterPayload.Change) -> Void = { _ in }) -> RosterModule {
        let roster = RosterModule(account: Self.account, onChange: onChange)
        roster.loaded(query([item("ally@example.org", [("subscription", "both")])]))
        return roster
    }

    private func isDone(_ answer: IQAnswer) -> Bool {
        if case .result(nil) = answer { true } else { false }
    }

    private func isRefused(_ answer: IQAnswer) -> Bool {
        if case .error(.serviceUnavailable) = answer { true } else { false }
    }

    // MARK: Payloads

    @Test(
        "a roster keeps each item; what is no known subscription counts as none (B004)",
        arguments: [
            (nil, RosterItem.Subscription.none), ("none", .none), ("to", .to), ("from", .from), ("both", .both),
            ("foobar", .none), ("", .none), ("remove", .none), ("BOTH", .none),
        ] as [(String?, RosterItem.Subscription)])
    func subscriptions(word: String?, expected: RosterItem.Subscription) {
        let element = item("ally@example.org", word.map { [("subscription", $0)] } ?? [])
        let items = RosterPayload.items(in: query([element]))
        #expect(items == [RosterItem(jid: Self.ally, subscription: expected)])
    }

    @Test("groups are a set: empty and repeated ones mean nothing, in both directions (B007)")
    func groups() {
        let items = RosterPayload.items(
            in: query([item("new@example.net", groups: ["", "Ops", "Ops", "Night", "ops"])]))
        #expect(items.map(\.groups) == [["Ops", "Night", "ops"]])
        let set = RosterPayload.set(Self.new, name: nil, groups: ["", "Ops", "Ops"])
        #expect(set.elements.first?.elements.map(\.text) == ["Ops"])
        #expect(set.elements.first?[attribute: "name"] == nil)
    }

    @Test("names and ask are read; an empty name is none")
    func namesAndAsk() {
        let items = RosterPayload.items(
            in: query([
                item("a@example.net", [("name", ""), ("ask", "subscribe")]),
                item("b@example.net", [("name", "B & <b>"), ("ask", "unsubscribe")]),
            ]))
        #expect(items.map(\.name) == [nil, "B & <b>"])
        #expect(items.map(\.asked) == [true, false])
    }

    @Test(
        "items without a usable address, and what is no item, are passed over", arguments: ["", "@", "a@@b", "a b@c d"])
    func addresses(text: String) {
        let other = Element("item", namespace: "urn:other", attributes: [.init("jid", "x@example.net")])
        #expect(RosterPayload.items(in: query([item(text), other])).isEmpty)
        #expect(RosterPayload.changes(in: query([item(text), other])).isEmpty)
    }

    @Test("an item is keyed by its address, prepared")
    func prepared() {
        let items = RosterPayload.items(in: query([item("ALLY@Example.Org")]))
        #expect(items.map(\.jid) == [Self.ally])
    }

    @Test(
        "an item with a resource is another one (ejabberd keeps them): it neither adds, changes nor removes the contact",
        arguments: ["none", "both", "remove"])
    func fullAddress(subscription: String) throws {
        var changes: [RosterPayload.Change] = []
        let roster = mirror { changes.append($0) }
        roster.loaded(
            query([
                item("ally@example.org", [("subscription", "both")]),
                item("ally@example.org/phone", [("subscription", "none")]),
                item("new@example.net/phone", [("subscription", subscription)]),
            ]))
        #expect(roster.items.keys == [Self.ally])
        for jid in ["ally@example.org/phone", "Ally@Example.ORG/Phone", "ally@example.org/a@b/c", "new@example.net/x"] {
            #expect(
                isDone(roster.received(request: try push([item(jid, [("subscription", subscription)])], from: nil))))
        }
        #expect(roster.items.keys == [Self.ally] && roster.items[Self.ally]?.subscription == .both && changes.isEmpty)
    }

    // MARK: The mirror

    @Test("a result without a payload is an empty roster, since no version was sent (B005)")
    func emptyResult() {
        let roster = mirror()
        roster.loaded(nil)
        #expect(roster.isLoaded)
        #expect(roster.items.isEmpty)
        #expect(!RosterModule(account: Self.account, onChange: { _ in }).isLoaded)
    }

    @Test(
        "a push of the account itself is applied and answered (B003)",
        arguments: [nil, "bot@example.org", "Bot@EXAMPLE.org"])
    func genuine(from: String?) throws {
        var changes: [RosterPayload.Change] = []
        let roster = mirror { changes.append($0) }
        let answer = roster.received(
            request: try push([item("new@example.net", [("subscription", "to")])], from: from))
        #expect(isDone(answer))
        #expect(roster.items[Self.new]?.subscription == .to)
        #expect(changes == [.set(RosterItem(jid: Self.new, subscription: .to))])
    }

    @Test(
        """
        a push of anybody else changes nothing and gets no answer (B001, CVE-2014-0364, CVE-2015-8688, CVE-2016-9928, \
        CVE-2019-16236)
        """,
        arguments: [
            "mallory@example.net/e", "example.net", "example.org", "bot@example.org/phone", "bot@example.org/gate",
            "bot@example.org.example.net", "bot@example.com", "b\u{43E}t@example.org",
        ])
    func forged(from: String) throws {
        var changes = 0
        let roster = mirror { _ in changes += 1 }
        let before = roster.items
        #expect(
            isRefused(
                roster.received(request: try push([item("m@example.net", [("subscription", "both")])], from: from))))
        #expect(
            isRefused(
                roster.received(request: try push([item("ally@example.org", [("subscription", "remove")])], from: from))
            ))
        #expect(isRefused(roster.received(request: try push([], from: from))))
        #expect(roster.items == before)
        #expect(changes == 0)
    }

    @Test("an unknown subscription in a push leaves what was known; remove removes (B004)")
    func pushedWords() throws {
        let roster = mirror()
        #expect(
            isDone(
                roster.received(request: try push([item("ally@example.org", [("subscription", "foobar")])], from: nil)))
        )
        #expect(roster.items[Self.ally]?.subscription == .both)
        #expect(
            isDone(
                roster.received(request: try push([item("ally@example.org", [("subscription", "remove")])], from: nil)))
        )
        #expect(roster.items.isEmpty)
    }

    @Test("a push with no item or two, or a get, is a bad request and changes nothing")
    func malformed() throws {
        let roster = mirror()
        let before = roster.items
        let two = [item("a@example.net"), item("b@example.net")]
        for request in [try push([], from: nil), try push(two, from: nil), try push([two[0]], from: nil, type: "get")] {
            guard case .error(.badRequest) = roster.received(request: request) else {
                Issue.record("\(request)")
                continue
            }
        }
        #expect(roster.items == before)
    }

    @Test("the mirror has a bound")
    func bound() throws {
        let roster = RosterModule(account: Self.account, onChange: { _ in })
        roster.loaded(query((0..<RosterModule.limit + 5).map { item("u\($0)@example.net") }))
        #expect(roster.items.count == RosterModule.limit)
        _ = roster.received(request: try push([item("one.more@example.net")], from: nil))
        #expect(roster.items.count == RosterModule.limit)
        // What is known already still changes.
        _ = roster.received(request: try push([item("u0@example.net", [("subscription", "both")])], from: nil))
        #expect(roster.items[BareJID(preparedLocal: "u0", preparedDomain: "example.net")]?.subscription == .both)
    }
}
