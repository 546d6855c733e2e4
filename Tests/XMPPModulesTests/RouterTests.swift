import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// Who gets which stanza, and who is answered.
@Suite struct RouterTests {
    private final class Log: SessionModule {
        let namespaces: [String]
        private(set) var seen: [String] = []

        init(_ namespaces: [String]) { self.namespaces = namespaces }

        func received(request: IQ) -> IQAnswer {
            seen.append("iq")
            return .result(nil)
        }

        func received(presence: Presence) { seen.append("presence") }
        func received(message: Message) { seen.append("message") }
    }

    /// An iq with a payload of that namespace.
    private func iq(_ type: String?, id: String? = "q1", from: String? = nil, payloads: [String]) -> Element {
        var element = Element(
            "iq", namespace: Namespace.client,
            children: payloads.map { .element(Element("q", namespace: $0)) })
        element[attribute: "type"] = type
        element[attribute: "id"] = id
        element[attribute: "from"] = from
        return element
    }

    private func route(_ element: Element, _ modules: [any SessionModule]) throws -> Element? {
        StanzaRouter(modules: modules) { $0 != Self.stranger }.route(try #require(Stanza(element)))
    }

    private static let stranger = BareJID(preparedLocal: "stranger", preparedDomain: "example.net")

    private func condition(_ answer: Element?) -> String? {
        answer?.first("error", Namespace.client)?.elements.first?.name
    }

    @Test("a request goes to the first module of its namespace, and its answer to its sender")
    func answered() throws {
        let (first, second) = (Log(["urn:a"]), Log(["urn:a", "urn:b"]))
        let answer = try route(iq("get", from: "ally@example.org/x", payloads: ["urn:a"]), [first, second])
        #expect(answer?[attribute: "type"] == "result")
        #expect(answer?[attribute: "id"] == "q1")
        #expect(answer?[attribute: "to"] == "ally@example.org/x")
        #expect(first.seen == ["iq"])
        #expect(second.seen == [])
    }

    @Test("a request that nobody takes is refused, once (B043)", arguments: ["get", "set"])
    func unknown(type: String) throws {
        let answer = try route(iq(type, from: "stranger@example.net/x", payloads: ["urn:unknown"]), [Log(["urn:a"])])
        #expect(condition(answer) == "service-unavailable")
        #expect(answer?[attribute: "to"] == "stranger@example.net/x")
        #expect(answer?[attribute: "id"] == "q1")
    }

    @Test("results and errors are never answered, whatever is in them (B043)", arguments: ["result", "error"])
    func replies(type: String) throws {
        for payloads in [[], ["urn:a"], ["urn:unknown", "urn:a"]] {
            #expect(try route(iq(type, from: "a@example.net", payloads: payloads), [Log(["urn:a"])]) == nil)
            #expect(try route(iq(type, id: nil, payloads: payloads), [Log(["urn:a"])]) == nil)
        }
    }

    @Test("a malformed request is a bad request (B043), and a stranger's is refused as anything unknown is")
    func malformed() throws {
        func rows(_ from: String?) -> [Element] {
            [
                iq("get", id: nil, from: from, payloads: ["urn:a"]), iq("get", from: from, payloads: []),
                iq("set", from: from, payloads: ["urn:a", "urn:a"]), iq("banana", from: from, payloads: ["urn:a"]),
                iq(nil, from: from, payloads: ["urn:a"]),
            ]
        }
        for (from, expected) in [
            (nil, "bad-request"), ("ally@example.org/x", "bad-request"),
            ("stranger@example.net/x", "service-unavailable"), ("stranger@example.net", "service-unavailable"),
        ] {
            for row in rows(from) {
                let log = Log(["urn:a"])
                #expect(condition(try route(row, [log])) == expected)
                #expect(log.seen == [])
            }
        }
        // Where nobody says who may know: the account's server alone.
        let router = StanzaRouter(modules: [])
        for (from, expected) in [(nil, "bad-request"), ("ally@example.org/x", "service-unavailable")] {
            for row in rows(from) { #expect(condition(router.route(try #require(Stanza(row)))) == expected) }
        }
    }

    @Test("a request over the limits is refused once, for a stranger as anything unknown is; an answer never")
    func overLimits() throws {
        let router = StanzaRouter(modules: [Log(["urn:a"])]) { $0 != Self.stranger }
        func refused(_ type: String?, _ from: String?) throws -> Element? {
            guard case .iq(let head) = Stanza(iq(type, from: from, payloads: [])) else { return nil }
            return router.refuse(head)
        }
        for type in ["get", "set", "banana", nil] {
            #expect(condition(try refused(type, nil)) == "not-acceptable")
            #expect(condition(try refused(type, "ally@example.org/x")) == "not-acceptable")
            let unknown = try route(iq("get", from: "stranger@example.net/x", payloads: ["urn:unknown"]), [])
            #expect(try refused(type, "stranger@example.net/x") == unknown)
        }
        for type in ["result", "error"] { #expect(try refused(type, "ally@example.org/x") == nil) }
    }

    @Test("a stanza whose sender is no address reaches nobody and gets no answer")
    func invalidSender() throws {
        let log = Log(["urn:a"])
        for type in ["get", "set", "result", "banana"] {
            #expect(try route(iq(type, from: "@", payloads: ["urn:a"]), [log]) == nil)
        }
        for name in ["presence", "message"] {
            var element = Element(name, namespace: Namespace.client)
            element[attribute: "from"] = "a@@b"
            #expect(try route(element, [log]) == nil)
        }
        #expect(log.seen == [])
    }

    @Test("every module sees presences and messages")
    func seen() throws {
        let logs = [Log([]), Log(["urn:a"])]
        #expect(try route(Element("presence", namespace: Namespace.client), logs) == nil)
        #expect(try route(Element("message", namespace: Namespace.client), logs) == nil)
        #expect(logs.map(\.seen) == [["presence", "message"], ["presence", "message"]])
    }

    @Test("a ping of a stranger is refused as anything unknown is; those who may know get their answer")
    func pings() throws {
        let friend = BareJID(preparedLocal: "ally", preparedDomain: "example.org")
        let module = PingModule { $0 == nil || $0 == friend }
        func ping(_ from: String?, _ type: String = "get") throws -> Element? {
            var element = Element(
                "iq", namespace: Namespace.client, attributes: [.init("type", type), .init("id", "p1")],
                children: [.element(Element("ping", namespace: Namespace.ping))])
            element[attribute: "from"] = from
            return try route(element, [module])
        }
        #expect(try ping(nil)?[attribute: "type"] == "result")
        #expect(try ping("ally@example.org/x")?[attribute: "type"] == "result")
        let refused = try ping("stranger@example.net/x")
        #expect(condition(refused) == "service-unavailable")
        #expect(condition(try ping(nil, "set")) == "bad-request")
        // Byte for byte what an unknown request gets.
        let unknown = try route(
            iq("get", id: "p1", from: "stranger@example.net/x", payloads: ["urn:unknown"]), [module])
        #expect(refused == unknown)
    }

    @Test("a subscription is reduced to the bare address, with its text and nickname (B016)")
    func subscriptions() throws {
        var events: [SubscriptionModule.Event] = []
        let module = SubscriptionModule { events.append($0) }
        func presence(_ type: String?, from: String?, _ children: [Element] = []) throws {
            var element = Element(
                "presence", namespace: Namespace.client, children: children.map(Element.Node.element))
            element[attribute: "type"] = type
            element[attribute: "from"] = from
            _ = try route(element, [module])
        }
        let new = BareJID(preparedLocal: "new", preparedDomain: "example.net")
        let status = Element("status", namespace: Namespace.client, children: [.text("hi")])
        let nick = Element("nick", namespace: Namespace.nick, children: [.text("Newt")])
        try presence("subscribe", from: "new@example.net/phone", [status, nick])
        try presence("unsubscribe", from: "new@example.net/phone")
        #expect(
            events == [
                .requested(SubscriptionRequest(contact: new, message: "hi", nickname: "Newt")), .unsubscribed(new),
            ])
        events = []
        try presence("subscribe", from: "new@example.net", [Element("status", namespace: Namespace.client)])
        #expect(events == [.requested(SubscriptionRequest(contact: new))])
        events = []
        for type in [nil, "subscribed", "unsubscribed", "unavailable", "probe", "error", "banana", "Subscribe"] {
            try presence(type, from: "new@example.net")
        }
        try presence("subscribe", from: nil)
        try presence("subscribe", from: "@")
        #expect(events == [])
    }
}
