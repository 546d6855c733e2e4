import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit

/// Stream management over a connection: acknowledged stanzas, and sessions that outlive their link.
@Suite struct ConnectionManagementTests {
    private static func managed(_ change: @escaping @Sendable (inout ServerBehaviour) -> Void = { _ in })
        -> @Sendable (ScriptedServer) async -> Void
    {
        { server in
            await server.behave {
                $0.streamManagement = .init()
                change(&$0)
            }
        }
    }

    private static let presence = Element("presence", namespace: Namespace.client)

    private func presence(_ id: String) -> Element {
        var presence = Self.presence
        presence[attribute: "id"] = id
        presence[attribute: "to"] = "ann@example.net"
        return presence
    }

    private func ids(_ client: TestedConnection, from connection: Int) -> [String] {
        client.server.received.all.filter { $0.connection == connection && $0.element.name == "presence" }
            .compactMap { $0.element[attribute: "id"] }
    }

    private func acknowledgements(_ client: TestedConnection) -> [UInt32] {
        client.events.all.compactMap { if case .acknowledged(let number) = $0 { number } else { nil } }
    }

    private func managed(_ client: TestedConnection) async throws {
        try await client.established()
        await client.settle()
    }

    // MARK: Enabling

    @Test("<enable/> leaves in the same write as the owner's first stanzas, in front of them")
    func pipelined() async throws {
        let roster = Element("query", namespace: Namespace.roster)
        try await withClient(
            before: Self.managed(),
            owner: { event, connection in
                guard case .established = event else { return }
                let request = connection.request(.get, roster) { _ in }
                connection.send([request].compactMap { $0 })
                connection.send([Self.presence])
            }
        ) { client in
            try await managed(client)
            let last = client.writes.last ?? ""
            let parts = last.split(separator: ">").map { $0.split(separator: " ").first.map(String.init) ?? "" }
            #expect(parts == ["<enable", "<iq", "<query", "</iq", "<presence/"])
            #expect(await client.server.handledStanzas(of: .bot) == 2)
        }
    }

    @Test("with SASL2 and Bind2 it is on with the login, and the first stanzas leave as soon as <success> is read")
    func inline() async throws {
        try await withClient(
            before: Self.managed { $0.sasl2 = .init() },
            owner: { event, connection in
                guard case .established = event else { return }
                connection.send([Self.presence])
            }
        ) { client in
            try await managed(client)
            #expect(
                !client.writes.contains {
                    $0.contains("<enable xmlns='urn:xmpp:sm:3' resume='true'/>") && $0.contains("<presence")
                })
            #expect(await client.send(presence("1")) == 2)
            await client.pass(.seconds(2))
            #expect(acknowledgements(client).last == 2)
        }
    }

    @Test("stanzas are numbered, and their acknowledgement is told once it came")
    func numbers() async throws {
        try await withClient(before: Self.managed()) { client in
            try await managed(client)
            #expect(await client.send(presence("1")) == 1)
            #expect(await client.send(presence("2"), presence("3")) == 3)
            #expect(acknowledgements(client).isEmpty)
            await client.pass(.seconds(2))
            #expect(acknowledgements(client) == [3])
            // And nothing more is asked for.
            let writes = client.writes.count
            await client.pass(.seconds(200))
            #expect(client.writes.count == writes)
        }
    }

    @Test("an owner that cannot wait asks at once, and only where something is out")
    func asksAtOnce() async throws {
        try await withClient(before: Self.managed()) { client in
            try await managed(client)
            let connection = client.connection
            let mayAsk = await client.onLoop { connection.requestAcknowledgement() }
            #expect(mayAsk)
            #expect(!client.writes.contains { $0.contains("<r ") })
            await client.send(presence("1"))
            await client.onLoop {
                connection.requestAcknowledgement()
                connection.requestAcknowledgement()
            }
            await client.settle()
            #expect(acknowledgements(client) == [1])
            #expect(client.writes.count { $0.contains("<r ") } == 1)
        }
    }

    @Test("a server that refuses what it offered: what was numbered is acknowledged by a ping, and no more is numbered")
    func refused() async throws {
        try await withClient(
            before: Self.managed { $0.streamManagement?.refusal = "internal-server-error" },
            owner: { event, connection in
                guard case .established = event else { return }
                #expect(connection.send([Self.presence]) == 1)
            }
        ) { client in
            try await managed(client)
            await client.settle()
            #expect(acknowledgements(client) == [1])
            #expect(await client.send(presence("2")) == nil)
            let connection = client.connection
            let mayAsk = await client.onLoop { connection.requestAcknowledgement() }
            #expect(!mayAsk)
            await client.pass(.seconds(100))
            #expect(!client.writes.contains { $0.contains("<r ") })
            await client.server.dropLink(of: .bot)
            #expect(await client.end.resumable == nil)
        }
    }

    @Test("without stream management nothing is numbered, asked for or resumed")
    func unmanaged() async throws {
        try await withClient { client in
            try await client.established()
            #expect(await client.send(presence("1")) == nil)
            await client.server.send("<r xmlns='urn:xmpp:sm:3'/><a xmlns='urn:xmpp:sm:3' h='1'/>", to: .bot)
            await client.settle()
            #expect(!client.writes.contains { $0.contains("urn:xmpp:sm:3") })
            await client.server.dropLink(of: .bot)
            #expect(await client.end.resumable == nil)
        }
    }

    // MARK: Acknowledging

    @Test("without an owner that commits, what was handed over counts, so that no server waits for ever")
    func commitsByItself() async throws {
        try await withClient(before: Self.managed { $0.streamManagement?.asksForAcknowledgements = true }) { client in
            try await managed(client)
            for _ in 0..<3 { await client.server.ask(.bot, from: try JID("ann@example.net")) }
            await client.server.send("<message from='a@example.net'/><presence from='a@example.net'/>", to: .bot)
            await client.server.requestAcknowledgement(of: .bot)
            await client.settle()
            #expect(await client.server.unacknowledgedStanzas(of: .bot) == 0)
        }
    }

    @Test("an owner that commits: the answer has what is committed, and the rest follows when it is")
    func ownerCommits() async throws {
        try await withClient(settings: { $0.commitsByItself = false }, before: Self.managed()) { client in
            try await managed(client)
            await client.server.send("<message from='a@example.net'/><presence from='a@example.net'/>", to: .bot)
            await client.server.requestAcknowledgement(of: .bot)
            await client.settle()
            let counts = client.events.all.compactMap { if case .readEnded(let inbound) = $0 { inbound } else { nil } }
            #expect(counts.last == 2)
            #expect(await client.server.unacknowledgedStanzas(of: .bot) == 2)
            #expect(client.writes.count { $0.contains("h='0'") } == 1)
            let connection = client.connection
            await client.onLoop { connection.committed(inbound: 1) }
            await client.onLoop { connection.committed(inbound: 2) }
            await client.settle()
            #expect(await client.server.unacknowledgedStanzas(of: .bot) == 0)
            #expect(client.writes.count { $0.contains("<a ") } == 2)
            // Only what is committed would be counted by the next connection.
            await client.server.send("<message from='a@example.net'/>", to: .bot)
            await client.settle()
            let saved = await client.onLoop { connection.resumable?.inbound }
            #expect(saved == 2)
        }
    }

    @Test("an answer of the server that makes no sense changes nothing; an impossible one ends the session (B061)")
    func nonsense() async throws {
        try await withClient(before: Self.managed()) { client in
            try await managed(client)
            await client.send(presence("1"))
            for h in ["h='-1'", "h='x'", "", "h='4294967296'"] {
                await client.server.send("<a xmlns='urn:xmpp:sm:3' \(h)/>", to: .bot)
            }
            await client.settle()
            #expect(acknowledgements(client).isEmpty)
            await client.server.send("<a xmlns='urn:xmpp:sm:3' h='10'/>", to: .bot)
            let end = await client.end
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.code == .handledCountTooHigh)
            #expect(end.resumable == nil)
            await client.settle()
            #expect(
                client.writes.contains { $0.contains("<handled-count-too-high") && $0.contains("</stream:stream>") })
        }
    }

    // MARK: Resuming

    /// A session that has sent three stanzas, of which the server has handled the first, and whose link broke.
    private func broken(_ client: TestedConnection) async throws -> ResumableSession {
        try await managed(client)
        await client.send(presence("1"))
        await client.pass(.seconds(2))
        // What follows the server never gets: it is sent in the turn in which the link breaks.
        let (connection, server) = (client.connection, client.server)
        await client.onLoop {
            server.assumeIsolated { $0.dropLink(of: .bot) }
            connection.send([presence("2"), presence("3")])
        }
        let resumable = await client.end.resumable
        return try #require(resumable)
    }

    @Test("a broken link leaves what another connection needs: it resumes, and sends again what was not handled (B059)")
    func resumes() async throws {
        try await withClient(before: Self.managed { $0.streamManagement?.location = "other.example.org:5269" }) {
            client in
            let resumable = try await broken(client)
            #expect(resumable.outbound == 3)
            #expect(resumable.acknowledged == 1)
            #expect(resumable.unacknowledged.count == 2)
            #expect(resumable.location == "other.example.org:5269")
            #expect(resumable.jid == (try JID("bot@example.org/doorward")))
            await client.server.ask(.bot, from: try JID("ann@example.net"))
            let second = try await client.another(settings: { $0.resumption = resumable })
            _ = try await second.events.next {
                if case .resumed(let session) = $0 { session.handled == 1 } else { false }
            }
            await second.settle()
            #expect(ids(client, from: 2) == ["2", "3"])
            #expect(
                !client.server.received.all.contains { $0.connection == 2 && $0.isIQ("set", "bind", Namespace.bind) })
            #expect(!second.events.all.contains { if case .established = $0 { true } else { false } })
            // The counts go on (B060).
            #expect(await second.send(presence("4")) == 4)
            await second.pass(.seconds(2))
            #expect(acknowledgements(second).last == 4)
            await second.finish()
        }
    }

    @Test("after a restart nothing is sent again, and a count above the saved one is no error")
    func resumesAfterRestart() async throws {
        try await withClient(before: Self.managed()) { client in
            var resumable = try await broken(client)
            await client.server.keepSession("kept", of: resumable.jid, inbound: 40, acknowledged: 7)
            (resumable.id, resumable.unacknowledged, resumable.inbound) = ("kept", [], 7)
            (resumable.outbound, resumable.acknowledged) = (30, 20)
            resumable.mayHaveSentMore = true
            let second = try await client.another(settings: { [resumable] in $0.resumption = resumable })
            _ = try await second.events.next {
                if case .resumed(let session) = $0 { session.handled == 40 } else { false }
            }
            #expect(await second.send(presence("4")) == 41)
            await second.pass(.seconds(2))
            #expect(acknowledgements(second) == [40, 41])
            #expect(ids(client, from: 2) == ["4"])
            await second.finish()
        }
    }

    @Test("a session that the server has lost begins anew on the same stream (B059)", arguments: [true, false])
    func lostSession(tellsCount: Bool) async throws {
        try await withClient(
            before: Self.managed { $0.streamManagement?.tellsCountOfLostSessions = tellsCount }
        ) { client in
            let resumable = try await broken(client)
            await client.server.expireSessions(of: .bot)
            let second = try await client.another(settings: { $0.resumption = resumable })
            let event = try await second.events.next { if case .established = $0 { true } else { false } }
            guard case .established(let session) = event else { return }
            #expect(session.failedResumption == FailedResumption(handled: tellsCount ? 1 : nil))
            await second.settle()
            #expect(ids(client, from: 2) == [])
            #expect(await second.send(presence("4")) == 1)
            await second.server.dropLink(of: .bot)
            #expect(await second.end.resumable?.id != resumable.id)
            await second.finish()
        }
    }

    @Test("an attempt that fails before the server has answered leaves the session to the next one")
    func attemptFails() async throws {
        try await withClient(before: Self.managed()) { client in
            let resumable = try await broken(client)
            await client.server.behave { $0.isReachable = false }
            let second = try await client.another(settings: { $0.resumption = resumable })
            let end = await second.end
            #expect(end.resumable == resumable)
            await second.finish()
        }
    }

    @Test(
        "a session by which one connection after the other ends is given up: the third attempt is the last",
        arguments: [
            .init(at: .binding, xml: ""), .init(at: .binding, xml: "</a>"),
            .init(at: .binding, streamError: "internal-server-error"),
            .init(at: .binding, streamError: "system-shutdown"),
        ] as [ServerBehaviour.Interruption])
    func attemptsEnd(interruption: ServerBehaviour.Interruption) async throws {
        try await withClient(before: Self.managed()) { client in
            var resumable: ResumableSession? = try await broken(client)
            // The server goes away whenever it is asked for a session.
            await client.server.behave { $0.interruption = interruption }
            for _ in 0..<3 {
                let asked = try #require(resumable)
                let next = try await client.another(settings: { $0.resumption = asked })
                resumable = await next.end.resumable
                await next.finish()
            }
            #expect(resumable == nil)
        }
    }

    @Test(
        "what ends a connection before the session was asked for leaves it, however often; what a person must mend ends it",
        arguments: [
            (.init(at: .headerInClear, streamError: "host-unknown"), true),
            (.init(at: .startTLS, xml: "<failure xmlns='\(Namespace.tls)'/>"), true),
            (.init(at: .headerBehindTLS, streamError: "system-shutdown"), true),
            (.init(at: .authentication, xml: failure("temporary-auth-failure")), true),
            (.init(at: .headerBehindLogin, streamError: "reset"), true),
            (.init(at: .headerBehindTLS, streamError: "host-unknown"), false),
            (.init(at: .authentication, xml: failure("not-authorized")), false),
            (.init(at: .headerBehindLogin, streamError: "conflict"), false),
        ] as [(ServerBehaviour.Interruption, Bool)])
    func unasked(interruption: ServerBehaviour.Interruption, leaves: Bool) async throws {
        try await withClient(before: Self.managed()) { client in
            let resumable = try await broken(client)
            await client.server.behave { $0.interruption = interruption }
            var left: ResumableSession? = resumable
            for _ in 0..<(leaves ? 5 : 1) {
                let asked = try #require(left)
                let next = try await client.another(settings: { $0.resumption = asked })
                left = await next.end.resumable
                await next.finish()
            }
            #expect(left == (leaves ? resumable : nil))
        }
    }

    private static func failure(_ condition: String) -> String {
        "<failure xmlns='\(Namespace.sasl)'><\(condition)/></failure>"
    }

    @Test("a session that is asked for with the login of SASL2 is given up with the third refusal of that login")
    func askedWithLogin() async throws {
        try await withClient(
            settings: { $0.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Test") },
            before: { server in await server.behave { ($0.sasl2, $0.streamManagement) = (.init(), .init()) } }
        ) { client in
            var resumable: ResumableSession? = try await broken(client)
            let condition = "<temporary-auth-failure xmlns='\(Namespace.sasl)'/>"
            let failure = "<failure xmlns='\(Namespace.sasl2)'>\(condition)</failure>"
            await client.server.behave { $0.interruption = .init(at: .authentication, xml: failure) }
            for _ in 0..<3 {
                let asked = try #require(resumable)
                let next = try await client.another(settings: {
                    $0.resumption = asked
                    $0.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Test")
                })
                resumable = await next.end.resumable
                await next.finish()
            }
            #expect(resumable == nil)
        }
    }

    @Test("cutting the link says what was handled and no farewell, so that the session can be resumed")
    func drops() async throws {
        try await withClient(before: Self.managed()) { client in
            try await managed(client)
            await client.server.send("<message from='a@example.net'/>", to: .bot)
            await client.settle()
            let connection = client.connection
            await client.onLoop { connection.drop() }
            let end = await client.end
            guard case .stopped = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(end.resumable?.inbound == 1)
            await client.settle()
            #expect(client.writes.last == "<a xmlns='urn:xmpp:sm:3' h='1'/>")
            let second = try await client.another(settings: { $0.resumption = end.resumable })
            _ = try await second.events.next { if case .resumed = $0 { true } else { false } }
            await second.finish()
        }
    }

    /// How a session ends for good.
    enum Ending: CaseIterable { case stopped, abandoned, closedByServer, streamError, malformed }

    @Test("a session that was closed, by whomever, is not resumed (XEP-0198 section 5)", arguments: Ending.allCases)
    func closed(ending: Ending) async throws {
        try await withClient(before: Self.managed()) { client in
            try await managed(client)
            await client.server.send("<message from='a@example.net'/>", to: .bot)
            await client.settle()
            let connection = client.connection
            switch ending {
            case .stopped: await client.onLoop { connection.stop() }
            case .abandoned: await client.onLoop { connection.abandon("why not") }
            case .closedByServer: await client.server.closeStream(of: .bot)
            case .streamError: await client.server.sendStreamError("system-shutdown", to: .bot)
            case .malformed: await client.server.send("<a></b>", to: .bot)
            }
            #expect(await client.end.resumable == nil)
            // Before an orderly close the server learns what it need not keep.
            if ending == .stopped {
                #expect(client.writes.last?.hasPrefix("<a xmlns='urn:xmpp:sm:3' h='1'/></stream") == true)
            }
        }
    }
}
