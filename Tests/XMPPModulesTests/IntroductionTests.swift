import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// Tokens, moved contacts and suggested contacts, as they come on the wire.
@Suite struct IntroductionTests {
    private static let new = "new@example.net"

    private func presence(_ children: [Element], from: String = Self.new) throws -> Presence {
        var element = Element(
            "presence", namespace: Namespace.client, attributes: [.init("type", "subscribe")],
            children: children.map(Element.Node.element))
        element[attribute: "from"] = from
        return try #require(Presence(element))
    }

    private func element(
        _ name: String, _ namespace: String, _ text: String = "", _ attributes: [Element.Attribute] = []
    )
        -> Element
    {
        Element(name, namespace: namespace, attributes: attributes, children: text.isEmpty ? [] : [.text(text)])
    }

    // MARK: Tokens (XEP-0379)

    @Test("a link holds address, token and name, with all that a link cannot hold escaped")
    func link() throws {
        let plain = InvitationURI(account: try BareJID("bot@example.org"), token: "abc")
        #expect(plain.description == "xmpp:bot@example.org?roster;preauth=abc")
        let odd = InvitationURI(account: try BareJID("a;b@bücher.example"), token: "a b", name: "Käse & Co; #1?")
        #expect(
            odd.description
                == "xmpp:a%3Bb@b%C3%BCcher.example?roster;preauth=a%20b;name=K%C3%A4se%20%26%20Co%3B%20%231%3F")
    }

    @Test("a request's token is read where it is one")
    func token() throws {
        func token(_ children: [Element]) throws -> String? {
            SubscriptionPayload.request(in: try presence(children))?.token
        }
        let preauth = { (value: String) in
            Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", value)])
        }
        #expect(try token([preauth("abc")]) == "abc")
        #expect(try token([preauth("")]) == nil)
        #expect(try token([preauth(String(repeating: "a", count: 257))]) == nil)
        #expect(try token([Element("preauth", namespace: Namespace.preAuthentication)]) == nil)
        #expect(try token([Element("preauth", namespace: "other", attributes: [.init("token", "abc")])]) == nil)
        let ours = InvitationURI.request(to: try BareJID(Self.new), token: "abc")
        #expect(InvitationURI.token(in: try #require(Presence(ours))) == "abc")
    }

    // MARK: Moved (XEP-0283)

    private func moved(_ name: String, _ text: String) -> Element {
        Element(
            "moved", namespace: Namespace.moved, children: [.element(element(name, Namespace.moved, text))])
    }

    @Test("a claim is read as an address, and never that of the sender itself")
    func claim() throws {
        func old(_ text: String) throws -> BareJID? {
            SubscriptionPayload.request(in: try presence([moved("old-jid", text)]))?.movedFrom
        }
        #expect(try old("Old@Example.COM/phone") == BareJID("old@example.com"))
        for text in ["", "@", "New@Example.NET"] { #expect(try old(text) == nil, "\(text)") }
        #expect(SubscriptionPayload.request(in: try presence([moved("new-jid", "old@example.com")]))?.movedFrom == nil)
    }

    @Test("the old account's statement is read from the one item of the one node")
    func statement() throws {
        func answer(node: String = Namespace.moved, id: String = "current", _ text: String) -> Element {
            let item = Element(
                "item", namespace: Namespace.pubsub, attributes: [.init("id", id)],
                children: [.element(moved("new-jid", text))])
            let items = Element(
                "items", namespace: Namespace.pubsub, attributes: [.init("node", node)], children: [.element(item)])
            return Element("pubsub", namespace: Namespace.pubsub, children: [.element(items)])
        }
        #expect(MovedPayload.newAddress(in: answer("new@example.net/x")) == (try BareJID(Self.new)))
        #expect(MovedPayload.newAddress(in: answer(node: "other", "new@example.net")) == nil)
        #expect(MovedPayload.newAddress(in: answer(id: "older", "new@example.net")) == nil)
        #expect(MovedPayload.newAddress(in: answer("@")) == nil)
        #expect(MovedPayload.newAddress(in: nil as Element?) == nil)
        let query = MovedPayload.query()
        #expect(query.first("items", Namespace.pubsub)?[attribute: "node"] == Namespace.moved)
    }

    @Test(
        "an account that is gone says where to, and any other error says nothing",
        arguments: [
            ("gone", "xmpp:new@example.net", "new@example.net"),
            ("gone", "xmpp:n%65w@example.net?x", "new@example.net"),
            ("gone", "new@example.net", nil), ("gone", "xmpp:%zz@example.net", nil), ("gone", "xmpp:%", nil),
            ("gone", "", nil), ("gone", "xmpp:%FF@example.net", nil), ("redirect", "xmpp:new@example.net", nil),
            ("item-not-found", "xmpp:new@example.net", nil),
        ])
    func gone(condition: String, uri: String, address: String?) throws {
        let error = Element(
            "error", namespace: Namespace.client, attributes: [.init("type", "cancel")],
            children: [.element(element(condition, Namespace.stanzaErrors, uri))])
        #expect(MovedPayload.newAddress(in: StanzaError(error)) == (try address.map { try BareJID($0) }))
    }

    // MARK: Suggested contacts (XEP-0144)

    private func suggestion(_ items: [(String, String?)]) -> Element {
        Element(
            "x", namespace: Namespace.rosterExchange,
            children: items.map { jid, action in
                var item = Element("item", namespace: Namespace.rosterExchange, attributes: [.init("jid", jid)])
                item[attribute: "action"] = action
                item[attribute: "name"] = "N"
                item.children = ["G", "G", ""].map {
                    .element(element("group", Namespace.rosterExchange, $0))
                }
                return .element(item)
            })
    }

    @Test("items are read with names and groups, each once; without an action they are adds")
    func items() throws {
        let exchange = try RosterExchange(suggestion([("a@example.net/x", nil), ("A@example.net", "add")]))
        #expect(exchange.action == .add)
        #expect(exchange.items.map(\.jid) == [try BareJID("a@example.net")])
        #expect(exchange.items.first?.name == "N")
        #expect(exchange.items.first?.groups == ["G"])
    }

    @Test("what is no suggestion, several kinds in one, and more than anybody means are refused")
    func refusals() {
        for items in [
            [], [("@", nil)], [("a@example.net", "add"), ("b@example.net", "delete")], [("a@b.example", "x")],
            [("@", nil), ("", "add")],
        ] {
            #expect(throws: RosterExchange.Refusal.malformed) { try RosterExchange(suggestion(items)) }
        }
        let many = (0...RosterExchange.limit).map { ("u\($0)@example.net", nil as String?) }
        #expect(throws: RosterExchange.Refusal.tooMany) { try RosterExchange(suggestion(many)) }
        #expect(throws: Never.self) { try RosterExchange(suggestion(Array(many.dropFirst()))) }
    }

    @Test("an item that cannot be taken is passed over and counted, and the others are taken")
    func passedOver() throws {
        let long = String(repeating: "n", count: RosterExchange.textLimit + 1)
        var given = suggestion([
            ("a@example.net", nil), ("@", nil), ("b@example.net", nil), ("c@example.net", nil), ("d@example.net", nil),
        ])
        func change(_ place: Int, _ change: (inout Element) -> Void) {
            guard case .element(var item) = given.children[place] else { return }
            change(&item)
            given.children[place] = .element(item)
        }
        change(2) { $0[attribute: "name"] = long }
        change(3) { $0.children.append(.element(element("group", Namespace.rosterExchange, long))) }
        change(4) { item in
            item.children = (0...RosterExchange.groupLimit).map {
                .element(element("group", Namespace.rosterExchange, "G\($0)"))
            }
        }
        let exchange = try RosterExchange(given)
        #expect(exchange.items.map(\.jid) == [try BareJID("a@example.net")])
        #expect(exchange.passedOver == 4)
    }

    @Test("only those who are trusted are heard; to others there is no such feature")
    func trust() throws {
        let gateway = try BareJID("gateway.example.org")
        var events: [RosterExchangeModule.Event] = []
        let module = RosterExchangeModule(isTrusted: { $0 == gateway }, onEvent: { events.append($0) })
        #expect(module.features.isEmpty)
        func ask(_ from: String?, _ payload: Element, _ type: String = "set") throws -> IQAnswer {
            var iq = Element(
                "iq", namespace: Namespace.client, attributes: [.init("type", type), .init("id", "1")],
                children: [.element(payload)])
            iq[attribute: "from"] = from
            return module.received(request: try #require(IQ(iq)))
        }
        func condition(_ answer: IQAnswer) -> String? {
            if case .error(let condition) = answer { condition.name } else { nil }
        }
        let one = suggestion([("a@example.net", nil)])
        for stranger in [nil, "eve@gateway.example.org", "sub.gateway.example.org", "example.org"] {
            #expect(condition(try ask(stranger, one)) == "service-unavailable")
        }
        #expect(module.ignored == 4 && events.isEmpty)
        #expect(condition(try ask("gateway.example.org/x", one)) == nil)
        let many = suggestion((0...RosterExchange.limit).map { ("u\($0)@example.net", nil) })
        #expect(condition(try ask("gateway.example.org", many)) == "not-acceptable")
        #expect(condition(try ask("gateway.example.org", suggestion([]))) == "bad-request")
        #expect(condition(try ask("gateway.example.org", one, "get")) == "bad-request")
        for (from, type) in [("gateway.example.org", nil), ("eve@example.net", nil), ("gateway.example.org", "error")] {
            var message = Element("message", namespace: Namespace.client, children: [.element(one)])
            message[attribute: "from"] = from
            message[attribute: "type"] = type
            module.received(message: try #require(Message(message)))
        }
        #expect(module.ignored == 5)
        #expect(
            events == [
                .suggested(try RosterExchange(one), from: gateway), .refused(.tooMany, from: gateway),
                .refused(.malformed, from: gateway), .suggested(try RosterExchange(one), from: gateway),
            ])
    }
}
