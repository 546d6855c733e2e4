import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// The block list's mirror (XEP-0191).
@Suite struct BlockingTests {
    private static let account = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
    private static let a = JID(BareJID(preparedLocal: "a", preparedDomain: "example.net"))
    private static let b = JID(BareJID(preparedLocal: "b", preparedDomain: "example.net"))

    private func payload(_ name: String, _ addresses: [String]) -> Element {
        Element(
            name, namespace: Namespace.blocking,
            children: addresses.map {
                .element(Element("item", namespace: Namespace.blocking, attributes: [.init("jid", $0)]))
            })
    }

    private func push(_ payload: Element, from: String? = nil, type: String = "set") throws -> IQ {
        var element = Element(
            "iq", namespace: Namespace.client, attributes: [.init("type", type), .init("id", "p1")],
            children: [.element(payload)])
        element[attribute: "from"] = from
        return try #require(IQ(element))
    }

    private func module() -> BlockingModule {
        let module = BlockingModule(account: Self.account)
        module.loaded(payload("blocklist", ["A@Example.NET", "@", "b@example.net"]))
        return module
    }

    @Test("the list is read in all four forms; entries that are no address are left out")
    func list() throws {
        let module = module()
        #expect(module.list.items == [Self.a, Self.b])
        let forms = ["c@example.net/phone", "C@example.net", "Example.COM.", "example.com/gate"]
        module.loaded(payload("blocklist", forms + ["@", "a@@b", ""]))
        #expect(module.list.items == Set(try forms.map { try JID($0) }))
        let empty = self.module()
        empty.loaded(nil)
        #expect(empty.list.items.isEmpty)
    }

    @Test(
        "an entry covers its contact, its resource, or a domain with all its users, and no more (B020)",
        arguments: [
            ("bad.example", "bad.example", true), ("bad.example", "spam1@bad.example", true),
            ("bad.example", "spam1@BAD.example/phone", true), ("bad.example", "bad.example/gate", true),
            ("bad.example", "ok@notbad.example", false), ("bad.example", "ok@sub.bad.example", false),
            ("eve@bad.example", "eve@bad.example/phone", true), ("eve@bad.example", "adam@bad.example", false),
            ("eve@bad.example", "bad.example", false), ("eve@bad.example/phone", "eve@bad.example/phone", true),
            ("eve@bad.example/phone", "eve@bad.example", false), ("eve@bad.example/phone", "eve@bad.example/x", false),
            ("bad.example/gate", "bad.example/gate", true), ("bad.example/gate", "bad.example", false),
            ("bad.example/gate", "eve@bad.example/gate", false),
        ])
    func matching(item: String, jid: String, isBlocked: Bool) throws {
        let list = BlockList([try JID(item)])
        #expect(list.isBlocked(try JID(jid)) == isBlocked)
        if try JID(jid).resource == nil { #expect(list.isBlocked(try BareJID(jid)) == isBlocked) }
        #expect(list.entry(for: try JID(jid)) == (isBlocked ? try JID(item) : nil))
    }

    @Test("the list is bounded; what is there already can be said again")
    func bound() {
        let items = (0...BlockList.limit).map { JID(BareJID(preparedLocal: "u\($0)", preparedDomain: "example.net")) }
        var list = BlockList(items)
        #expect(list.items.count == BlockList.limit)
        #expect(list.omitted == 1)
        list.insert(items[0])
        #expect(list.omitted == 1)
    }

    @Test("a block of several carries its report in each item, in the version that the server takes (XEP-0377)")
    func report() throws {
        let items = [Self.a, try JID("bad.example")]
        let block = BlockingPayload.block(items, report: SpamReport(.spam, text: "casino"))
        #expect(BlockingPayload.items(in: block) == items)
        for item in block.elements {
            let report = try #require(item.first("report", Namespace.reporting))
            #expect(report[attribute: "reason"] == "urn:xmpp:reporting:spam")
            #expect(report.first("text", Namespace.reporting)?.text == "casino")
        }
        let old = SpamReport(.abuse).element(namespace: Namespace.reporting0)
        #expect(old.first("abuse", Namespace.reporting0) != nil && old.attributes.isEmpty)
        let long = SpamReport(.spam, text: String(repeating: "\u{1F600}", count: 1000)).element()
        #expect(long.first("text", Namespace.reporting)?.text.utf8.count == SpamReport.textLimit)
    }

    @Test("to lift no block sends nothing: an empty unblock would lift them all")
    func emptyUnblock() {
        #expect(BlockingPayload.unblock([]) == nil)
        #expect(BlockingPayload.unblockAll().elements.isEmpty)
    }

    @Test("an error says whether it was our own block that stopped a stanza (XEP-0191 section 3.5)")
    func errors() throws {
        var error = StanzaError(.notAcceptable).element
        let presence = { Element("presence", namespace: Namespace.client, children: [.element(error)]) }
        #expect(BlockingError(presence()) == .refused(StanzaError(.notAcceptable)))
        error.children.append(.element(Element("blocked", namespace: Namespace.blockingErrors)))
        #expect(BlockingError(presence()) == .blocked)
        #expect(BlockingError(Element("presence", namespace: Namespace.client)) == nil)
    }

    @Test("changes of privacy lists, which ejabberd pushes too, are answered and mean nothing")
    func privacy() throws {
        let module = module()
        let query = Element("query", namespace: Namespace.privacy, children: [])
        guard case .result(nil) = module.received(request: try push(query)) else {
            Issue.record("not answered")
            return
        }
        #expect(module.list.items == [Self.a, Self.b])
    }

    @Test("block and unblock are followed; an empty unblock lifts every block")
    func pushes() throws {
        let module = module()
        _ = module.received(request: try push(payload("unblock", ["a@example.net"])))
        #expect(module.list.items == [Self.b])
        _ = module.received(request: try push(payload("block", ["a@example.net"]), from: "bot@example.org"))
        #expect(module.list.items == [Self.a, Self.b])
        guard case .result(nil) = module.received(request: try push(payload("unblock", []))) else {
            Issue.record("not answered")
            return
        }
        #expect(module.list.items.isEmpty)
    }

    @Test(
        "a push of anybody else changes nothing",
        arguments: ["mallory@example.net/e", "example.org", "bot@example.org/other", "bot@example.com"])
    func forged(from: String) throws {
        let module = module()
        for name in ["block", "unblock"] {
            let answer = module.received(request: try push(payload(name, ["c@example.net"]), from: from))
            guard case .error(.serviceUnavailable) = answer else {
                Issue.record("\(answer)")
                continue
            }
        }
        _ = module.received(request: try push(payload("unblock", []), from: from))
        #expect(module.list.items == [Self.a, Self.b])
    }

    @Test("anything else in the namespace is a bad request")
    func malformed() throws {
        let module = module()
        for request in [try push(payload("blocklist", [])), try push(payload("block", []), type: "get")] {
            guard case .error(.badRequest) = module.received(request: request) else {
                Issue.record("\(request)")
                continue
            }
        }
        #expect(module.list.items == [Self.a, Self.b])
    }
}
