import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// `see-other-host` (RFC 6120 section 4.9.3.19, security B5).
@Suite struct ConnectionRedirectTests {
    /// Connects to a scripted server, and remembers whereto.
    private final class Addresses: Connector {
        let all = EventRecorder<ServerAddress>()
        let domains = EventRecorder<String>()
        private let server = Locked<ScriptedServer?>(nil)
        /// What the network would have said before the connection was up.
        private let steps: [ConnectStep]
        /// Whether only the account's own servers can be reached.
        private let refusesHosts: Bool
        /// What makes the connections after the first.
        private let next: (any Connector)?
        /// Called with the number of each connection, on the loop.
        private let onConnect: @Sendable (ScriptedServer, Int) -> Void

        init(
            steps: [ConnectStep] = [], refusesHosts: Bool = false, next: (any Connector)? = nil,
            onConnect: @escaping @Sendable (ScriptedServer, Int) -> Void = { _, _ in }
        ) {
            (self.steps, self.refusesHosts, self.onConnect) = (steps, refusesHosts, onConnect)
            self.next = next
        }

        func lead(to server: ScriptedServer) { self.server.withLock { $0 = server } }

        func connect(
            to address: ServerAddress, security: TLSSettings?, on loop: EventLoop,
            handler: @escaping @Sendable (ChannelEvent) -> Void
        ) -> any Channel {
            all.record(address)
            domains.record(security?.domain ?? "")
            if all.all.count > 1 {
                for step in steps { loop.execute { handler(.attempted(step)) } }
            }
            if let next, all.all.count > 1 {
                return next.connect(to: address, security: security, on: loop, handler: handler)
            }
            let server = server.withLock { $0 }
            if let server { onConnect(server, all.all.count) }
            let isRefused = if case .host = address { refusesHosts } else { false }
            let nobody: any Connector = MemoryConnector { _, _ in nil }
            let connector: any Connector = isRefused ? nobody : server?.connector ?? nobody
            return connector.connect(to: address, security: security, on: loop, handler: handler)
        }
    }

    private func run(
        to host: String, at moment: ServerBehaviour.Moment = .headerBehindTLS, times: Int? = 1,
        address: ServerAddress = .domain("example.org"), steps: [ConnectStep] = [], next: (any Connector)? = nil,
        _ body: (TestedConnection, Addresses) async throws -> Void
    ) async throws {
        let addresses = Addresses(steps: steps, next: next)
        try await withClient(
            settings: { $0.address = address }, connector: addresses,
            before: { server in
                addresses.lead(to: server)
                await server.behave {
                    $0.interruption = .init(at: moment, times: times, streamError: "see-other-host", value: host)
                }
            }
        ) { try await body($0, addresses) }
    }

    private func places(_ addresses: Addresses) -> [String] {
        addresses.all.all.map { address in
            switch address {
            case .host(let host, let port, _): "\(host) \(port)"
            case .domain(let domain), .services(let domain, _): domain
            }
        }
    }

    @Test(
        "behind TLS it is followed within the same run, for the same identity (CVE-2022-22787 went wherever it was sent)",
        arguments: [
            ("xmpp.example.net", "xmpp.example.net"), ("xmpp.example.net:9222", "xmpp.example.net 9222"),
            ("[2001:41d0:1:a49b::1]:9222", "2001:41d0:1:a49b::1 9222"), ("203.0.112.7", "203.0.112.7 5222"),
        ],
        [ServerBehaviour.Moment.headerBehindTLS, .authentication, .response, .headerBehindLogin, .binding])
    func followed(host: (text: String, place: String), moment: ServerBehaviour.Moment) async throws {
        try await run(to: host.text, at: moment) { client, addresses in
            try await client.established()
            #expect(places(addresses) == ["example.org", host.place])
            #expect(addresses.domains.all == ["example.org", "example.org"])
            let stages = client.events.all.compactMap { if case .progressed(let stage) = $0 { stage } else { nil } }
            #expect(stages.count { $0 == .connecting } == 2)
            #expect(
                client.server.received.all.filter { !$0.isSecured }.map(\.element.name) == ["starttls", "starttls"])
        }
    }

    @Test(
        "before TLS anybody could have said it: it is not followed",
        arguments: [ServerBehaviour.Moment.headerInClear, .startTLS])
    func beforeTLS(moment: ServerBehaviour.Moment) async throws {
        try await run(to: "xmpp.example.net", at: moment) { client, addresses in
            let end = await client.end
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.retry == .retry)
            #expect(places(addresses) == ["example.org"])
        }
    }

    @Test("a circle ends")
    func circle() async throws {
        try await run(to: "xmpp.example.net", times: nil) { client, addresses in
            let end = await client.end
            #expect(end.description.contains("circle"))
            #expect(places(addresses) == ["example.org", "xmpp.example.net"])
        }
    }

    @Test("the host that was configured closes a circle too")
    func circleToConfigured() async throws {
        try await run(to: "one.example.net", times: nil, address: .host("one.example.net", port: 5222)) {
            client, addresses in
            #expect(await client.end.description.contains("circle"))
            #expect(addresses.all.all.count == 1)
        }
    }

    @Test("it is followed three times in a row, not four", arguments: [3, 4])
    func chain(count: Int) async throws {
        let addresses = Addresses { server, number in
            guard number <= count else { return }
            server.assumeIsolated {
                $0.behaviour.interruption = .init(
                    at: .headerBehindTLS, times: 1, streamError: "see-other-host", value: "h\(number).example.net")
            }
        }
        try await withClient(connector: addresses, before: { addresses.lead(to: $0) }) { client in
            if count == 3 {
                try await client.established()
            } else {
                #expect(await client.end.description.contains("4th"))
            }
            #expect(addresses.all.all.count == 4)
        }
    }

    @Test(
        "it never leads into a private network",
        arguments: [
            "127.0.0.1", "127.1.2.3:5222", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
            "100.64.0.1", "0.0.0.0", "[::1]:5222", "[::]", "[fd00::1]", "[fe80::1]", "[::ffff:127.0.0.1]",
            "[64:ff9b::a00:1]", "[2002:7f00:1::]", "[2002:c0a8:107:1::5]:5222", "[::ffff:0:127.0.0.1]",
            "[::ffff:0:a00:1]", "[64:ff9b:1::808:808]", "[64:ff9b:1:ffff::1]", "[::127.0.0.1]", "[2001:0:4136:e378::1]",
            "[100::1]", "[2001:db8::5efe:a00:1]", "[2001:db8::200:5efe:127.0.0.1]", "[fd00::5efe:808:808]", "[fec0::1]",
            "[ff02::1]", "[::2:0:0]", "localhost", "LOCALHOST:1", "x.localhost", "224.0.0.1",
        ])
    func privateNetwork(host: String) async throws {
        try await run(to: host) { client, addresses in
            let end = await client.end
            guard case .unreachable(let text) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(text.contains("private"))
            #expect(addresses.all.all.count == 1)
        }
    }

    @Test("nor by a name that turns out to be there, and nothing is sent to it")
    func privateName() async throws {
        let steps: [ConnectStep] = [.resolved(host: "x.example.net", addresses: ["192.168.0.7:5222"])]
        try await run(to: "x.example.net", steps: steps) { client, _ in
            let end = await client.end
            #expect(end.description.contains("private"))
            #expect(client.server.received.all.count { $0.connection == 2 } == 0)
        }
    }

    @Test(
        "nor by a name that the resolver puts there: no socket is opened, with services in DNS or without",
        arguments: [true, false], [true, false])
    func privateAnswer(hasServices: Bool, ownIsPrivate: Bool) async throws {
        let bait = try Bait()
        defer { bait.close() }
        let resolver = FixedResolver(port: bait.port, hasServices: hasServices)
        let host = hasServices ? "x.example.net" : "x.example.net:\(bait.port)"
        let own: ServerAddress = ownIsPrivate ? .host("127.0.0.1", port: 5222) : .domain("example.org")
        try await run(to: host, address: own, next: SocketConnector(resolver: resolver)) { client, addresses in
            if ownIsPrivate {
                // As the account's own server is: then it is one of its neighbours, and is called.
                try await bait.called()
                return
            }
            let end = await client.end
            #expect(end.description.contains("private"), "\(end)")
            #expect(addresses.all.all.count == 2)
            #expect(resolver.asked.all.contains("y.example.net") == hasServices)
            #expect(!bait.hasBeenCalled)
        }
    }

    @Test(
        "addresses of the public network are none of them",
        arguments: [
            "9.255.255.255", "11.0.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "192.169.1.1", "192.0.1.1",
            "169.253.0.1", "100.63.0.1", "100.128.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.1", "[2001:db8::1]",
            "[2606:4700::1111]", "[::ffff:203.0.112.7]", "[2002:cb00:7007::1]", "[::ffff:0:203.0.112.7]",
            "[64:ff9b::cb00:7007]", "[2001:db8::5efe:cb00:7007]", "[2001:1::1]", "[2003::1]",
        ])
    func publicNetwork(host: String) async throws {
        try await run(to: host) { client, addresses in
            try await client.established()
            #expect(addresses.all.all.count == 2)
        }
    }

    @Test("unless the account's own server is in one", arguments: ["127.0.0.1", "10.0.0.1", "localhost", "::1"])
    func ownNetwork(configured: String) async throws {
        try await run(to: "192.168.1.9:5333", address: .host(configured, port: 5222)) { client, addresses in
            try await client.established()
            #expect(places(addresses).last == "192.168.1.9 5333")
        }
    }

    @Test(
        "a place that is none is an ordinary error",
        arguments: ["", " ", "a b", "x:99999", "x:0", "[::1", "user@example.net", "x/y"])
    func noPlace(host: String) async throws {
        try await run(to: host) { client, addresses in
            let end = await client.end
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.condition == "see-other-host")
            #expect(addresses.all.all.count == 1)
        }
    }

    /// Ends the session as the server does, and tells how it ended for its owner.
    private func sentOn(_ client: TestedConnection, to host: String) async throws -> SessionEnd {
        try await client.established()
        await client.server.send(
            "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>\(host)"
                + "</see-other-host></stream:error>", to: .bot)
        return await client.end
    }

    @Test("a session that is sent on ends, and the next one is there, for the same identity")
    func online() async throws {
        let addresses = Addresses()
        try await withClient(connector: addresses, before: { addresses.lead(to: $0) }) { client in
            let end = try await sentOn(client, to: "x.example.net:9222")
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.retry == .retry)
            #expect(end.resumable == nil)
            let next = try await client.another(settings: { $0.route = end.route }, connector: addresses)
            try await next.established()
            #expect(places(addresses) == ["example.org", "x.example.net 9222"])
            #expect(addresses.domains.all == ["example.org", "example.org"])
            await client.server.dropLink(of: .bot)
            // Once only: what comes behind it begins where the account is.
            #expect(await next.end.route == nil)
            await next.finish()
        }
    }

    @Test("sessions are sent on three times in a row, not four, and not in a circle", arguments: ["h4", "h1"])
    func onlineChain(last: String) async throws {
        let addresses = Addresses()
        try await withClient(connector: addresses, before: { addresses.lead(to: $0) }) { client in
            var current = client
            for host in ["h1", "h2", "h3"] {
                let route = try await sentOn(current, to: "\(host).example.net").route
                current = try await client.another(settings: { $0.route = route }, connector: addresses)
            }
            let end = try await sentOn(current, to: "\(last).example.net")
            #expect(end.description.contains(last == "h4" ? "4th" : "circle"))
            #expect(end.route == nil)
            #expect(places(addresses) == ["example.org", "h1.example.net", "h2.example.net", "h3.example.net"])
        }
    }

    @Test("a session is not sent into a private network, nor to what is no place", arguments: ["10.0.0.1", "x:0"])
    func onlineNowhere(host: String) async throws {
        try await withClient { client in
            let end = try await sentOn(client, to: host)
            #expect(end.route == nil)
            #expect(end.cause.leavesResumption)
        }
    }

    @Test("a place that another configuration was sent to is not gone to")
    func onlineElsewhere() async throws {
        let addresses = Addresses()
        try await withClient(connector: addresses, before: { addresses.lead(to: $0) }) { client in
            let route = try await sentOn(client, to: "x.example.net").route
            let next = try await client.another(
                settings: { ($0.route, $0.address) = (route, .host("other.example.org", port: 5222)) },
                connector: addresses)
            try await next.established()
            #expect(places(addresses).last == "other.example.org 5222")
            await next.finish()
        }
    }

    @Test(
        "a resumable session is taken up where its server prefers, or else where the account is",
        arguments: [true, false])
    func location(works: Bool) async throws {
        let addresses = Addresses(refusesHosts: !works)
        let resumable = ResumableSession(
            jid: try JID("bot@example.org/doorward"), id: "kept", location: "two.example.net:5333", inbound: 0,
            outbound: 0, acknowledged: 0, features: Element("features", namespace: Namespace.streams))
        try await withClient(
            settings: { $0.resumption = resumable }, connector: addresses,
            before: { server in
                addresses.lead(to: server)
                await server.behave { $0.streamManagement = .init() }
                await server.keepSession("kept", of: resumable.jid)
            }
        ) { client in
            _ = try await client.events.next { if case .resumed = $0 { true } else { false } }
            #expect(places(addresses) == ["two.example.net 5333"] + (works ? [] : ["example.org"]))
        }
    }
}
