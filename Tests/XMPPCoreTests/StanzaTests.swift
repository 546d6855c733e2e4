import Testing
import XMPPCore

@Suite("Stanzas")
struct StanzaTests {
    private func element(_ xml: String) throws -> Element {
        let parser = XMLStreamParser(limits: .normal)
        let events = parser.feed(Array((XMLStreamParserTests.header + xml).utf8))
        let found = events.compactMap { if case .element(let element) = $0 { element } else { nil } }
        return try #require(found.first)
    }

    private func stanza(_ xml: String) throws -> Stanza? {
        Stanza(try element(xml))
    }

    @Test("a redelivered request of Prosody is read")
    func request() throws {
        let xml =
            "<presence id='s1' xml:lang='en' to='bob@gate.test' type='subscribe' from='alice@gate.test'>"
            + "<status>hi bob</status><nick xmlns='http://jabber.org/protocol/nick'>Al</nick>"
            + "<delay xmlns='urn:xmpp:delay'/></presence>"
        guard case .presence(let presence) = try stanza(xml) else { return #expect(Bool(false)) }
        #expect(presence.type == .subscribe)
        #expect(presence.from == (try JID("alice@gate.test")))
        #expect(presence.to == (try JID("bob@gate.test")))
        #expect(presence.id == "s1")
        #expect(presence.status == "hi bob")
        #expect(presence.nickname == "Al")
        #expect(!presence.fromIsInvalid)
    }

    @Test(
        "types are read and written",
        arguments: [
            (nil, .available), ("unavailable", .unavailable), ("subscribe", .subscribe), ("subscribed", .subscribed),
            ("unsubscribe", .unsubscribe), ("unsubscribed", .unsubscribed), ("probe", .probe), ("error", .error),
            ("Subscribe", .other("Subscribe")), ("", .other("")), ("subscribe ", .other("subscribe ")),
        ] as [(String?, PresenceType)]
    )
    func presenceTypes(attribute: String?, type: PresenceType) throws {
        var element = Element("presence", namespace: Namespace.client)
        element[attribute: "type"] = attribute
        #expect(Presence(element)?.type == type)
        #expect(Presence(type).element[attribute: "type"] == attribute)
    }

    @Test("a from that is no address is told from none")
    func invalidFrom() throws {
        for kind in ["presence", "message", "iq"] {
            let none = try #require(try stanza("<\(kind)/>"))
            #expect(none.from == nil)
            #expect(!none.fromIsInvalid)
            for text in ["", "@", "a b@c", "a@b/", "\u{212A}@c"] {
                let stanza = try #require(try stanza("<\(kind) from='\(text)'/>"))
                #expect(stanza.from == nil)
                #expect(stanza.fromIsInvalid)
            }
        }
    }

    @Test("only presence, message and iq of the client namespace are stanzas")
    func kinds() throws {
        for xml in ["<a/>", "<presence xmlns='urn:x'/>", "<stream:message/>", "<Iq/>", "<stream:features/>"] {
            #expect(try stanza(xml) == nil)
        }
    }

    @Test("a message has a body, a kind and none by default")
    func messages() throws {
        guard case .message(let message) = try stanza("<message type='chat'><body>a</body><body>b</body></message>")
        else {
            return #expect(Bool(false))
        }
        #expect(message.body == "a")
        #expect(message.type == .chat)
        guard case .message(let other) = try stanza("<message type='what'/>") else { return #expect(Bool(false)) }
        #expect(other.type == .normal)
        #expect(other.body == nil)
        let sent = Message(.chat, to: try JID("a@b"), id: "1", body: "x<y")
        #expect(
            String(decoding: sent.element.serialized(inside: Namespace.client), as: UTF8.self)
                == "<message type='chat' to='a@b' id='1'><body>x&lt;y</body></message>"
        )
        #expect(Message(sent.element) == sent)
    }

    @Test("an iq has one payload, a result may have none, an error has one beside its error")
    func payloads() throws {
        let rows: [(String, String?)] = [
            ("<iq type='get'><a/></iq>", "a"), ("<iq type='get'/>", nil), ("<iq type='get'><a/><b/></iq>", nil),
            ("<iq type='set'> <a/> </iq>", "a"), ("<iq type='result'/>", nil), ("<iq type='result'><a/></iq>", "a"),
            ("<iq type='error'><error type='cancel'/></iq>", nil), ("<iq type='error'><a/><error/></iq>", "a"),
            ("<iq type='error'><error/><a/></iq>", "a"), ("<iq><a/></iq>", "a"),
        ]
        for (xml, name) in rows {
            guard case .iq(let iq) = try stanza(xml) else { return #expect(Bool(false)) }
            #expect(iq.payload?.name == name, "\(xml)")
        }
        guard case .iq(let iq) = try stanza("<iq type='what'/>") else { return #expect(Bool(false)) }
        #expect(iq.type == .other("what"))
    }

    @Test("answers go back to the sender as he wrote himself, with the same id")
    func replies() throws {
        let request = try #require(
            IQ(try element("<iq type='get' id='x' from='Ann@Example.org/P' to='b@c'><a xmlns='urn:a'/></iq>"))
        )
        func write(_ element: Element) -> String {
            String(decoding: element.serialized(inside: Namespace.client), as: UTF8.self)
        }
        #expect(write(request.result()) == "<iq type='result' to='Ann@Example.org/P' id='x'/>")
        #expect(
            write(StanzaError.reply(to: request, condition: .serviceUnavailable))
                == "<iq type='error' to='Ann@Example.org/P' id='x'><error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
        )
        let own = try #require(IQ(try element("<iq type='set' id='y'><a/></iq>")))
        #expect(
            write(own.result(Element("b", namespace: "urn:b"))) == "<iq type='result' id='y'><b xmlns='urn:b'/></iq>"
        )
        #expect(
            write(StanzaError.reply(to: own, condition: .badRequest, kind: .wait, text: "a<b")).contains(
                "<error type='wait'><bad-request xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/><text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>a&lt;b</text></error>"
            )
        )
    }

    @Test("stanza errors are read, also incomplete ones")
    func stanzaErrors() throws {
        let ns = "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'"
        let rows: [(String, StanzaError)] = [
            (
                "<error type='wait'><conflict \(ns)/><text \(ns)>t</text></error>",
                StanzaError(.conflict, kind: .wait, text: "t")
            ),
            ("<error><not-allowed \(ns)/></error>", StanzaError(.notAllowed, kind: .cancel)),
            ("<error type='what'><item-not-found \(ns)/></error>", StanzaError(.itemNotFound)),
            ("<error type='auth'><new-one \(ns)/></error>", StanzaError(.undefinedCondition, kind: .auth)),
            ("<error type='modify'><conflict/></error>", StanzaError(.undefinedCondition, kind: .modify)),
            ("<error/>", StanzaError(.undefinedCondition, kind: .cancel)),
        ]
        for (xml, expected) in rows {
            let iq = try #require(IQ(try element("<iq type='error' id='1'>\(xml)</iq>")))
            #expect(iq.error == expected, "\(xml)")
        }
        #expect(IQ(try element("<iq type='error' id='1'/>"))?.error == StanzaError(.undefinedCondition))
        #expect(IQ(try element("<iq type='result' id='1'><error/></iq>"))?.error == nil)
        #expect(!StanzaError(.conflict, text: "secret").description.contains("secret"))
    }

    @Test("stream errors are read and written")
    func streamErrors() throws {
        let ns = "xmlns='urn:ietf:params:xml:ns:xmpp-streams'"
        #expect(
            StreamError(
                try element("<stream:error><conflict \(ns)/><text \(ns) xml:lang='en'>Replaced</text></stream:error>")
            )
                == StreamError(.conflict, text: "Replaced")
        )
        #expect(
            StreamError(try element("<stream:error><strange \(ns)/></stream:error>"))
                == StreamError(.undefinedCondition)
        )
        #expect(StreamError(try element("<stream:error/>")) == StreamError(.undefinedCondition))
        #expect(StreamError(try element("<error/>")) == nil)
        let error = StreamError(.seeOtherHost, text: "x")
        #expect(StreamError(error.element) == error)
        #expect(!error.description.contains("x:"))
    }
}
