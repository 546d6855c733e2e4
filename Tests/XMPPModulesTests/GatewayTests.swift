import Testing
import XMPPCore
import XMPPModules

/// Gateways to other networks (XEP-0100).
@Suite struct GatewayTests {
    private static let gateway = BareJID(preparedLocal: nil, preparedDomain: "irc.example.org")

    private func query(_ children: [(String, String)], namespace: String = Namespace.gateway) -> Element {
        Element(
            "query", namespace: namespace,
            children: children.map { .element(Element($0.0, namespace: namespace, children: [.text($0.1)])) })
    }

    @Test("what is asked is that of XEP-0100")
    func asked() {
        #expect(GatewayPayload.prompt() == query([]))
        #expect(GatewayPayload.address(of: "Ann & Bo") == query([("prompt", "Ann & Bo")]))
    }

    @Test("a prompt is read with what to do, or without; one that is empty or too long is none")
    func prompt() throws {
        let full = try #require(GatewayPayload.prompt(in: query([("desc", "Give a name."), ("prompt", "Name")])))
        #expect(full.prompt == "Name" && full.description == "Give a name.")
        #expect(GatewayPayload.prompt(in: query([("prompt", "Name")]))?.description == nil)
        let long = String(repeating: "a", count: 1_025)
        for odd in [
            query([]), query([("prompt", "")]), query([("prompt", long)]), query([("prompt", "x")], namespace: "other"),
        ] {
            #expect(GatewayPayload.prompt(in: odd) == nil)
        }
        #expect(GatewayPayload.prompt(in: nil) == nil)
    }

    @Test("an address is read in the new way and in the old, and only one behind that gateway")
    func address() throws {
        func address(_ name: String, _ text: String) -> BareJID? {
            GatewayPayload.address(in: query([(name, text)]), behind: Self.gateway)
        }
        #expect(try address("jid", "Ann@IRC.example.org") == BareJID("ann@irc.example.org"))
        #expect(try address("prompt", "ann@irc.example.org/x") == BareJID("ann@irc.example.org"))
        for text in ["", "@", "irc.example.org", "ann@example.org", "ann@evil.example", "ann"] {
            #expect(address("jid", text) == nil, "\(text)")
        }
        #expect(GatewayPayload.address(in: nil, behind: Self.gateway) == nil)
        #expect(
            GatewayPayload.address(in: query([("jid", "ann@irc.example.org")], namespace: "x"), behind: Self.gateway)
                == nil)
    }

    @Test("a gateway is known by its identity, and by which network")
    func identity() {
        let info = DiscoInfo(
            identities: [.init("gateway", "irc", name: "IRC"), .init("conference", "text"), .init("gateway", "sms")],
            features: [])
        #expect(info.gateways == ["irc", "sms"])
        #expect(DiscoInfo(identities: [.init("server", "im")], features: []).gateways.isEmpty)
    }
}
