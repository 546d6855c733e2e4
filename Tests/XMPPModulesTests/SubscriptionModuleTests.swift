import Testing
import XMPPCore

@testable import XMPPModules

/// What the presences about subscriptions mean, in whichever order a server tells them.
@Suite struct SubscriptionModuleTests {
    private final class Parts {
        let roster: RosterModule
        private(set) var subscriptions: SubscriptionModule?
        var words: [String] = []

        init(_ items: [Element]) {
            roster = RosterModule.loaded(items)
            subscriptions = SubscriptionModule(roster: roster) { [unowned self] event in
                switch event {
                case .requested(let request): words.append("requested \(request.contact)")
                case .unsubscribed(let contact): words.append("unsubscribed \(contact)")
                case .approved(let contact): words.append("approved \(contact.local ?? "")")
                case .denied(let contact): words.append("denied \(contact.local ?? "")")
                case .cancelled(let contact): words.append("cancelled \(contact.local ?? "")")
                case .repeated(_, let stanza): words.append("repeated \(stanza)")
                case .failed(let contact, let error): words.append("failed \(contact) \(error.condition.name)")
                }
            }
        }

        func say(_ type: PresenceType, _ from: JID = JID(.ally)) {
            subscriptions?.received(presence: PresenceXML.make(type, from: from))
        }

        /// What a server does, by one letter each: s subscribed, u unsubscribed, a available, x unavailable, and with `>` in
        /// front a push with that subscription.
        func follow(_ script: String) {
            for word in script.split(separator: " ") {
                switch word {
                case "s": say(.subscribed)
                case "u": say(.unsubscribed)
                case "a": say(.available, BareJID.ally.at("a"))
                case "x": say(.unavailable)
                case ">remove": roster.push(RosterXML.item("ally@example.org", "remove"))
                case ">ask": roster.push(RosterXML.item("ally@example.org", "none", asked: true))
                case ">fromask": roster.push(RosterXML.item("ally@example.org", "from", asked: true))
                case _: roster.push(RosterXML.item("ally@example.org", String(word.dropFirst())))
                }
            }
        }
    }

    private static func item(_ state: SubscriptionState) -> Element {
        RosterXML.item("ally@example.org", state.subscription.rawValue, asked: state.isPendingOut)
    }

    @Test(
        "an answer means the same whether the push comes before it, behind it, or twice",
        arguments: [
            // Prosody: subscribed, push, presence; ejabberd: presence, push, subscribed.
            (SubscriptionState.nonePendingOut, "s >to a", ["approved ally"]),
            (.nonePendingOut, "a >to s", ["approved ally"]), (.nonePendingOut, "s >to >to a", ["approved ally"]),
            (.fromPendingOut, "s >both a", ["approved ally"]), (.fromPendingOut, "a >both s", ["approved ally"]),
            // A denial: unsubscribed, push; and the other way round.
            (.nonePendingOut, "u >none", ["denied ally"]), (.nonePendingOut, ">none u", ["denied ally"]),
            (.fromPendingOut, "u >from", ["denied ally"]), (.fromPendingOut, ">from u", ["denied ally"]),
            // A cancellation: unsubscribed, push, unavailable; and unavailable, push, unsubscribed.
            (.to, "u >none x", ["cancelled ally"]), (.to, "x >none u", ["cancelled ally"]),
            (.both, "u >from x", ["cancelled ally"]), (.both, "x >from u", ["cancelled ally"]),
            // Said again.
            (.to, "s", ["repeated subscribed"]), (.both, "s s", ["repeated subscribed", "repeated subscribed"]),
            (.none, "u", ["repeated unsubscribed"]), (.from, "u", ["repeated unsubscribed"]),
            (.nonePendingOut, "s >to s", ["approved ally", "repeated subscribed"]),
            (.nonePendingOut, ">to s s", ["approved ally", "repeated subscribed"]),
            (.to, "u >none u", ["cancelled ally", "repeated unsubscribed"]),
            // The other answer behind it.
            (.nonePendingOut, "s >to u >none", ["approved ally", "cancelled ally"]),
            (.nonePendingOut, "s u >to >none", ["approved ally", "cancelled ally"]),
            (.nonePendingOut, "u >none >ask s >to", ["denied ally", "approved ally"]),
            // A push alone says nothing: the roster's own event does.
            (.nonePendingOut, ">none", []), (.to, ">none >to", []),
        ] as [(SubscriptionState, String, [String])])
    func orders(state: SubscriptionState, script: String, expected: [String]) {
        let parts = Parts([Self.item(state)])
        parts.follow(script)
        #expect(parts.words == expected)
    }

    @Test("a refusal of somebody unknown creates nothing, and is told as one that changes nothing (B017)")
    func ghosts() {
        let parts = Parts([Self.item(.nonePendingOut)])
        parts.say(.unsubscribed, JID(.ghost))
        parts.roster.push(RosterXML.item("ghost@example.net", "remove"))
        parts.say(.subscribed, JID(.ghost))
        #expect(parts.words == ["repeated unsubscribed", "repeated subscribed"])
        #expect(parts.roster.items.keys == [.ally])
        // Who refused is still there, and not asked for any more.
        parts.follow("u >none")
        #expect(parts.words.last == "denied ally" && parts.roster.items[.ally]?.asked == false)
    }

    @Test("an answer is that of the contact, whichever of its resources says it (B016)")
    func fullAddresses() {
        let parts = Parts([Self.item(.nonePendingOut)])
        parts.say(.subscribe, BareJID.new.at("phone"))
        parts.say(.subscribed, BareJID.ally.at("phone"))
        parts.say(.unsubscribe, BareJID.new.at("phone"))
        #expect(parts.words == ["requested new@example.net", "approved ally", "unsubscribed new@example.net"])
    }

    @Test("what the account itself ends is no cancellation by the contact")
    func ownDoing() {
        let parts = Parts([Self.item(.both)])
        parts.roster.tell(.left(.ally))
        parts.follow(">from u")
        #expect(parts.words == ["repeated unsubscribed"])
    }

    @Test("a request that comes back as an error is told as that, and is no denial (B021)")
    func failed() {
        let parts = Parts([Self.item(.nonePendingOut)])
        parts.roster.tell(.refused(.ally, StanzaError(.remoteServerNotFound)))
        parts.say(.error)
        #expect(parts.words == ["failed ally@example.org remote-server-not-found"])
    }

    @Test("open requests are listed once each, in their order, with what a repetition lacks, until they end")
    func pending() throws {
        let parts = Parts([Self.item(.to)])
        let module = try #require(parts.subscriptions)
        func ask(_ from: JID, _ children: [Element] = []) {
            module.received(presence: PresenceXML.make(.subscribe, from: from, children))
        }
        ask(
            JID(.new),
            [PresenceXML.text("status", "hello"), Element("nick", namespace: Namespace.nick, children: [.text("N")])])
        ask(JID(.ally))
        ask(JID(.ghost))
        ask(BareJID.new.at("phone"), [PresenceXML.text("status", "hello?")])
        #expect(module.pending.map(\.contact) == [.new, .ally, .ghost])
        #expect(module.pending.first == SubscriptionRequest(contact: .new, message: "hello?", nickname: "N"))
        // Taken back; accepted by another client of the account; removed, which answers nothing.
        parts.say(.unsubscribe, JID(.ghost))
        parts.roster.push(RosterXML.item("new@example.net", "from"))
        parts.roster.push(RosterXML.item("ally@example.org", "remove"))
        #expect(module.pending.map(\.contact) == [.ally])
        module.ended()
        #expect(module.pending.isEmpty)
    }

    @Test("open requests have a bound in number and in words, over which the oldest are forgotten")
    func pendingBound() throws {
        let parts = Parts([])
        let module = try #require(parts.subscriptions)
        for number in 0..<OpenRequests.limit + 10 { parts.say(.subscribe, JID(.of("u\(number)"))) }
        #expect(module.pending.count == OpenRequests.limit && module.pending.first?.contact == .of("u10"))
        let long = String(repeating: "x", count: OpenRequests.byteLimit / 4)
        for number in 0..<6 {
            module.received(
                presence: PresenceXML.make(
                    .subscribe, from: JID(.of("long\(number)")), [PresenceXML.text("status", long)]))
        }
        #expect(module.pending.map(\.contact) == (2..<6).map { .of("long\($0)") })
    }

    @Test("an owner with a record of its own is told each request, and nothing is kept")
    func unkept() throws {
        let parts = Parts([])
        let module = try #require(parts.subscriptions)
        module.keepsRequests = false
        parts.say(.subscribe, JID(.new))
        parts.say(.subscribe, JID(.new))
        #expect(parts.words.count == 2 && module.pending.isEmpty)
    }

    @Test("what is remembered of answers has a bound, over which they are taken as the roster shows them")
    func bound() {
        let many = (0..<SubscriptionModule.limit + 50).map {
            RosterXML.item("u\($0)@example.org", asked: true)
        }
        let parts = Parts(many)
        for number in 0..<many.count { parts.say(.subscribed, JID(.of("u\(number)"))) }
        #expect(parts.words.count == many.count && parts.words.allSatisfy { $0.hasPrefix("approved") })
        // Beyond the bound it is not known any more that it was said.
        parts.say(.subscribed, JID(.of("u0")))
        parts.say(.subscribed, JID(.of("u\(many.count - 1)")))
        #expect(parts.words.suffix(2) == ["repeated subscribed", "approved u\(many.count - 1)"])
    }

    @Test("without a roster requests are told, and no answer, since nothing says what it means")
    func alone() {
        var events: [SubscriptionModule.Event] = []
        let module = SubscriptionModule { events.append($0) }
        for type in [PresenceType.subscribe, .unsubscribe, .subscribed, .unsubscribed, .available, .error] {
            module.received(presence: PresenceXML.make(type, from: JID(.new)))
        }
        #expect(events == [.requested(SubscriptionRequest(contact: .new)), .unsubscribed(.new)])
    }
}
