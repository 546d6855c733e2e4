import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// From the first packet to the bound address, over a channel.
@Suite struct ConnectionLoginTests {
    private func failure(_ end: SessionEnd) -> SessionError? {
        if case .session(let error) = end.cause { error } else { nil }
    }

    @Test("a login goes through TLS and SCRAM-SHA-256 to the resource that was asked for")
    func login() async throws {
        try await withClient { client in
            let event = try await client.events.next { if case .established = $0 { true } else { false } }
            guard case .established(let session) = event else { return }
            #expect(session.jid == (try JID("bot@example.org/doorward")))
            let all = client.server.received.all
            #expect(all.filter { !$0.isSecured }.map(\.element.name) == ["starttls"])
            #expect(all.first { $0.element.name == "auth" }?.element[attribute: "mechanism"] == "SCRAM-SHA-256")
            let stages = client.events.all.compactMap { if case .progressed(let stage) = $0 { stage } else { nil } }
            #expect(stages == [.connecting, .securing, .authenticating, .binding, .online])
        }
    }

    @Test("without a resource of its own the server's is taken")
    func serverResource() async throws {
        try await withClient(resource: nil) { client in
            let event = try await client.events.next { if case .established = $0 { true } else { false } }
            guard case .established(let session) = event else { return }
            #expect(session.jid.resource == "made-by-server")
        }
    }

    @Test("a server that offers no TLS never sees a login, nor anything else (B051)")
    func noTLS() async throws {
        try await withClient(before: { await $0.behave { $0.offersStartTLS = false } }) { client in
            let end = await client.end
            #expect(failure(end)?.code == .tlsNotOffered)
            #expect(failure(end)?.retry == .retry)
            #expect(client.server.received.all.isEmpty)
        }
    }

    @Test("TLS is used where it is offered without being required (B051)")
    func optionalTLS() async throws {
        try await withClient(before: { await $0.behave { $0.requiresStartTLS = false } }) { client in
            try await client.established()
            #expect(client.server.received.all.filter { !$0.isSecured }.map(\.element.name) == ["starttls"])
        }
    }

    @Test("a server that refuses TLS after all never sees a login (B051)")
    func refusedTLS() async throws {
        try await withClient(before: { await $0.behave { $0.proceedsToTLS = false } }) { client in
            let end = await client.end
            #expect(failure(end)?.code == .tlsRefused)
            #expect(client.server.received.all.map(\.element.name) == ["starttls"])
        }
    }

    @Test(
        "whatever comes in clear behind the go-ahead for TLS ends the connection (security B2)",
        arguments: [
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", "<stream:features/>", "<stream:fea", "  ", "\n",
            "<?xml version='1.0'?><stream:stream>", "</stream:stream>", "\u{0}",
        ])
    func injected(text: String) async throws {
        try await withClient(before: { await $0.behave { $0.injectedAfterProceed = text } }) { client in
            let end = await client.end
            #expect(failure(end) != nil)
            #expect(client.server.received.all.map(\.element.name) == ["starttls"])
        }
    }

    @Test(
        "a server that does not prove that it knows the password is parked, and no resource is bound (B046, B047)",
        arguments: ServerBehaviour.Proof.allCases)
    func proof(_ proof: ServerBehaviour.Proof) async throws {
        try await withClient(before: { await $0.behave { $0.proof = proof } }) { client in
            switch proof {
            case .proper, .inChallenge:
                try await client.established()
            case .absent, .empty, .wrong, .errorText, .beforeChallenge:
                let end = await client.end
                #expect(failure(end)?.code == .serverNotAuthenticated)
                #expect(failure(end)?.retry == .park)
                #expect(!client.server.received.all.contains { $0.isIQ("set", "bind", Namespace.bind) })
                #expect(client.server.received.all.count { $0.element.name == "auth" } == 1)
            }
        }
    }

    @Test("a wrong password parks")
    func wrongPassword() async throws {
        try await withClient(password: "hunter-two") { client in
            let end = await client.end
            #expect(failure(end)?.code == .authenticationFailed)
            #expect(failure(end)?.retry == .park)
            #expect(!end.description.contains("hunter"))
        }
    }

    @Test(
        "what a server says when it refuses a login decides whether it is tried again",
        arguments: [
            ("not-authorized", SessionError.RetryAdvice.park), ("account-disabled", .park),
            ("credentials-expired", .park), ("temporary-auth-failure", .retry),
        ])
    func refusals(condition: String, retry: SessionError.RetryAdvice) async throws {
        try await withClient(before: { await $0.refuseLogins(of: .bot, with: condition) }) { client in
            let end = await client.end
            #expect(failure(end)?.condition == condition)
            #expect(failure(end)?.retry == retry)
        }
    }

    @Test("PLAIN is never used, and its offer alone ends the login")
    func plainOnly() async throws {
        try await withClient(before: { await $0.behave { $0.mechanisms = ["PLAIN", "DIGEST-MD5"] } }) { client in
            let end = await client.end
            #expect(failure(end)?.code == .plainNotAllowed)
            #expect(!client.server.received.all.contains { $0.element.name == "auth" })
        }
    }

    @Test("white space between the elements of a login means nothing (B042)", arguments: [" ", "\n\n", " \t\r\n"])
    func whiteSpace(text: String) async throws {
        try await withClient(before: { await $0.behave { $0.whiteSpace = text } }) { client in
            try await client.established()
        }
    }

    @Test(
        "a server that falls silent in the middle of a login is given up after the time of a stage",
        arguments: ServerBehaviour.Stage.allCases)
    func silence(stage: ServerBehaviour.Stage) async throws {
        try await withClient(before: { await $0.behave { $0.silentFrom = stage } }) { client in
            let awaited: ClientStage =
                switch stage {
                case .features, .proceed: .securing
                case .challenge, .success: .authenticating
                case .bind: .binding
                }
            _ = try await client.events.next {
                if case .progressed(awaited) = $0 { true } else { false }
            }
            if stage == .success { _ = try await client.server.received.next { $0.element.name == "response" } }
            await client.pass(.seconds(29))
            #expect(client.server.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
            await client.pass(.seconds(6))
            let end = await client.end
            guard case .unreachable(let text) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(text.contains(awaited.rawValue))
        }
    }

    @Test("a domain that says in DNS that it has no service is told apart from one that cannot be reached (B065)")
    func notOffered() async throws {
        for (code, isNotOffered) in [(TransportError.Code.serviceNotOffered, true), (.dnsFailed, false)] {
            let refusing = RefusingConnector(error: TransportError(code, "no"))
            try await withClient(connector: refusing) { client in
                let cause = await client.end.cause
                let isSo = if case .notOffered = cause { true } else { false }
                #expect(isSo == isNotOffered, "\(cause)")
            }
        }
    }

    @Test("a server that cannot be reached is told as that")
    func unreachable() async throws {
        try await withClient(before: { await $0.behave { $0.isReachable = false } }) { client in
            guard case .unreachable = await client.end.cause else {
                Issue.record("another end")
                return
            }
        }
    }

    @Test("stopping in the middle of a login ends it at once")
    func stopped() async throws {
        try await withClient(before: { await $0.behave { $0.silentFrom = .challenge } }) { client in
            _ = try await client.server.received.next { $0.element.name == "auth" }
            let connection = client.connection
            await client.onLoop { connection.stop() }
            guard case .stopped = await client.end.cause else {
                Issue.record("another end")
                return
            }
        }
    }
}
