import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// Logins over real TLS, with sessions that are taken up again.
@Suite struct ConnectionTLSTests {
    /// A server on a port of loopback that gives tickets, and what a client needs for it.
    private struct Place: Sendable {
        let server: TLSSettings
        let trust: TLSContext
        let sessions = TLSSessionCache()
        let port = Locked<UInt16>(0)
        /// Its files are needed for as long.
        let authority: TestAuthority

        init(_ version: UInt16) throws {
            authority = try TestAuthority()
            let certificate = try authority.certificate(for: "example.org")
            var options = TLSServerOptions()
            options.versions = version...version
            options.tickets = 1
            let context = try TLSContext.server(
                certificateFile: certificate.certificateFile, keyFile: certificate.keyFile, options: options)
            server = TLSSettings(domain: "", context: context)
            trust = try TLSContext.client(caFile: authority.caFile)
        }

        func open(_ scripted: ScriptedServer, binding: String) async {
            await scripted.behave { behaviour in
                behaviour.mechanisms = ["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"]
                behaviour.announcedBindings = [binding]
                behaviour.acceptedBindings = [binding]
            }
            let opened = try? await scripted.listen(server, isDirectTLS: false)
            port.withLock { $0 = opened ?? 0 }
        }

        func use(_ settings: inout ClientSettings, _ notes: Notes) {
            settings.address = .host("127.0.0.1", port: port.withLock { $0 })
            settings.trust = trust
            settings.sessions = sessions
            settings.requiresChannelBinding = true
            settings.observer = notes
        }
    }

    private final class Notes: ConnectionObserver {
        let all = EventRecorder<ConnectionObservation>()
        func observed(_ event: ConnectionObservation, of account: BareJID) { all.record(event) }

        /// Of each, whether it took a session up.
        var handshakes: [Bool] {
            all.all.compactMap { if case .secured(let summary) = $0.detail { summary.isResumed } else { nil } }
        }

        var summary: TLSSummary? {
            all.all.compactMap { if case .secured(let summary) = $0.detail { summary } else { nil } }.first
        }
    }

    @Test(
        "binds the login to the channel by each type, in a full handshake and in a resumed one",
        arguments: [
            (0x0304, "tls-exporter"), (0x0304, "tls-server-end-point"), (0x0303, "tls-exporter"),
            (0x0303, "tls-server-end-point"), (0x0303, "tls-unique"),
        ] as [(UInt16, String)])
    func bindings(_ version: UInt16, _ type: String) async throws {
        let place = try Place(version)
        let first = Notes()
        try await withClient(
            settings: { place.use(&$0, first) }, connector: SocketConnector(),
            before: { await place.open($0, binding: type) }
        ) { client in
            try await client.established()
            #expect(first.summary?.isResumed == false)
            #expect(first.summary?.versionNumber == version)
            for _ in 0..<2 {
                let next = Notes()
                let other = try await client.another(settings: { place.use(&$0, next) }, connector: SocketConnector())
                try await other.established()
                #expect(next.summary?.isResumed == true)
                await other.finish()
            }
        }
    }

    @Test("a server that gets tls-unique wrong on a resumed session is met by a whole handshake, in the same run")
    func confusedUnique() async throws {
        let place = try Place(0x0303)
        try await withClient(
            settings: { place.use(&$0, Notes()) }, connector: SocketConnector(),
            before: {
                await place.open($0, binding: "tls-unique")
                await $0.behave { $0.confusesUnique = true }
            }
        ) { client in
            try await client.established()
            let notes = Notes()
            let other = try await client.another(settings: { place.use(&$0, notes) }, connector: SocketConnector())
            try await other.established()
            #expect(notes.handshakes == [true, false])
            // A whole handshake that is refused is an end: somebody may stand in between.
            await client.server.behave { $0.acceptedBindings = ["tls-exporter"] }
            let refused = Notes()
            let third = try await client.another(settings: { place.use(&$0, refused) }, connector: SocketConnector())
            guard case .session(let error) = await third.end.cause else { throw EventNeverCame(recorded: []) }
            #expect(error.code == .authenticationFailed)
            #expect(refused.handshakes == [true, false])
            await other.finish()
        }
    }

    @Test(
        "forgets the sessions of a server that ends a stream with a reset (RFC 6120 4.9.3.16)",
        arguments: [("reset", 0), ("system-shutdown", 1), ("conflict", 1)])
    func reset(_ condition: String, kept: Int) async throws {
        let place = try Place(0x0304)
        let notes = Notes()
        try await withClient(
            settings: { place.use(&$0, notes) }, connector: SocketConnector(),
            before: { await place.open($0, binding: "tls-exporter") }
        ) { client in
            try await client.established()
            #expect(place.sessions.count == 1)
            await client.server.sendStreamError(condition, to: .bot)
            _ = await client.end
            #expect(place.sessions.count == kept)
        }
    }
}
