import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// The block list's mirror (XEP-0191).
@Suite struct BlockingTests {
    private static let account = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
    private static let a = BareJID(preparedLocal: "a", preparedDomain: "example.net")
    private static let b = BareJID(preparedLocal: "b", preparedDomain: "example.net")

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
        module.loaded(payload("blocklist", ["A@Example.NET", "a@example.net/phone", "@", "b@example.net"]))
        return module
    }

    @Test("the list is read; entries for a resource or without an address are not of whole contacts")
    func list() {
        #expect(module().blocked == [Self.a, Self.b])
        let empty = module()
        empty.loaded(nil)
        #expect(empty.blocked.isEmpty)
    }

    @Test("block and unblock are followed; an empty unblock lifts every block")
    func pushes() throws {
        let module = module()
        _ = module.received(request: try push(payload("unblock", ["a@example.net"])))
        #expect(module.blocked == [Self.b])
        _ = module.received(request: try push(payload("block", ["a@example.net"]), from: "bot@example.org"))
        #expect(module.blocked == [Self.a, Self.b])
        guard case .result(nil) = module.received(request: try push(payload("unblock", []))) else {
            Issue.record("not answered")
            return
        }
        #expect(module.blocked.isEmpty)
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
        #expect(module.blocked == [Self.a, Self.b])
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
        #expect(module.blocked == [Self.a, Self.b])
    }
}
