import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// Targets of the domain that answer and are not the server, as far as can be told (RFC 6120 section 3.2.1).
@Suite struct ConnectionPassingOverTests {
    /// What a target does instead of being the server.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        var isDirectTLS = false
        var certificate = "example.org"
        /// How long nothing happens until it is given up.
        var silence: Duration?
        /// The code of the failure that is shown.
        let code: String
        let behave: @Sendable (inout ServerBehaviour) -> Void

        var testDescription: String { name }

        init(
            _ name: String, _ code: String, isDirectTLS: Bool = false, certificate: String = "example.org",
            silence: Duration? = nil, _ behave: @escaping @Sendable (inout ServerBehaviour) -> Void = { _ in }
        ) {
            (self.name, self.code, self.isDirectTLS) = (name, code, isDirectTLS)
            (self.certificate, self.silence, self.behave) = (certificate, silence, behave)
        }

        static func streamError(_ condition: String, _ moment: ServerBehaviour.Moment = .headerInClear) -> Fault {
            Fault("says \(condition)", "stream_error") {
                $0.interruption = .init(at: moment, streamError: condition, value: "x.example.net")
            }
        }

        static let inClear: [Fault] = [
            Fault("closes at once", "connection_lost") { $0.isReachable = false },
            Fault("closes behind the header", "connection_lost") {
                $0.interruption = .init(at: .headerInClear, xml: "")
            },
            Fault("closes the stream", "closed_by_server") {
                $0.interruption = .init(at: .headerInClear, xml: "</stream:stream>")
            },
            Fault("speaks something else", "malformed_stream") { $0.saidAtOnce = "SSH-2.0-x\r\n" },
            Fault("begins another stream", "unexpected") {
                $0.saidAtOnce = "<stream xmlns='urn:example:other' version='1.0'>"
            },
            Fault("offers no STARTTLS", "tls_not_offered") { $0.offersStartTLS = false },
            Fault("refuses STARTTLS", "tls_refused") { $0.proceedsToTLS = false },
            Fault("is silent", "unreachable", silence: .seconds(30)) { $0.silentFrom = .features },
            Fault("is silent on STARTTLS", "unreachable", silence: .seconds(30)) { $0.silentFrom = .proceed },
            Fault("puts something behind its go-ahead", "plaintext_after_starttls") { $0.injectedAfterProceed = " " },
            Fault("shows another's certificate", "certificate_refused", certificate: "other.example"),
            .streamError("internal-server-error"), .streamError("system-shutdown"),
            .streamError("undefined-condition"), .streamError("host-unknown"), .streamError("see-other-host"),
            .streamError("system-shutdown", .startTLS),
        ]

        static let withinTLS: [Fault] = [false, true].flatMap { isDirect in
            let how = isDirect ? "direct TLS" : "STARTTLS"
            return [
                Fault("closes within \(how)", "connection_lost", isDirectTLS: isDirect) {
                    $0.interruption = .init(at: .headerBehindTLS, xml: "")
                },
                Fault("closes the stream within \(how)", "closed_by_server", isDirectTLS: isDirect) {
                    $0.interruption = .init(at: .headerBehindTLS, xml: "</stream:stream>")
                },
                Fault("speaks something else within \(how)", "malformed_stream", isDirectTLS: isDirect) {
                    $0.interruption = .init(at: .headerBehindTLS, xml: "</nonsense>")
                },
                Fault("has no features within \(how)", "unexpected", isDirectTLS: isDirect) {
                    $0.interruption = .init(at: .headerBehindTLS, xml: "<x xmlns='urn:example:x'/>")
                },
            ]
        }

        static let silentWithinTLS = Fault(
            "is silent within direct TLS", "unreachable", isDirectTLS: true, silence: .seconds(30)
        ) { $0.silentFrom = .features }
    }

    /// Who vouches for the targets, and what they show.
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    /// Another server of the domain, on the same loop.
    private func open(_ fault: Fault, on loop: EventLoop, _ names: NamedServers) async throws -> ScriptedServer {
        let server = ScriptedServer(on: loop)
        await server.behave(fault.behave)
        let certificate = try authority.certificate(for: fault.certificate)
        let port = try await server.listen(with: certificate, isDirectTLS: fault.isDirectTLS)
        names.add(port: port, isDirectTLS: fault.isDirectTLS)
        return server
    }

    /// Connects where `faults` come before a good server; without `hasGood` there is none.
    private func run(
        _ faults: [Fault], hasGood: Bool = true, good: @escaping @Sendable (inout ServerBehaviour) -> Void = { _ in },
        _ body: (TestedConnection, NamedServers, [ScriptedServer]) async throws -> Void
    ) async throws {
        let names = NamedServers()
        let opened = EventRecorder<ScriptedServer>()
        let trust = try TLSContext.client(caFile: authority.caFile)
        try await withClient(
            settings: { ($0.trust, $0.observer) = (trust, names) }, connector: SocketConnector(resolver: names),
            before: { server in
                await server.behave(good)
                do {
                    for fault in faults { opened.record(try await open(fault, on: server.loop, names)) }
                    guard hasGood else { return }
                    let certificate = try authority.certificate(for: "example.org")
                    names.add(port: try await server.listen(with: certificate))
                } catch {
                    Issue.record(error)
                }
            }
        ) { client in
            for fault in faults {
                try await names.reached(1)
                // The stage has begun that a silence is in.
                _ = try await client.events.next {
                    if case .progressed(let stage) = $0 {
                        stage == (fault.isDirectTLS ? .authenticating : .securing)
                    } else {
                        false
                    }
                }
                if let silence = fault.silence { await client.pass(silence) }
            }
            try await body(client, names, opened.all)
            for server in opened.all { await server.stopListening() }
        }
    }

    private func connections(_ server: ScriptedServer) -> Int {
        server.events.all.count { if case .connected = $0 { true } else { false } }
    }

    @Test(
        "are passed over within the same run, once each, whatever they do",
        arguments: Fault.inClear + Fault.withinTLS + [Fault.silentWithinTLS])
    func passedOver(_ fault: Fault) async throws {
        try await run([fault]) { client, names, bad in
            try await client.established()
            #expect(names.codes == [fault.code])
            #expect(bad.map(connections) == [1])
            let shown = try #require(names.passedOver.first)
            #expect(shown.address?.hasPrefix("127.0.0.1:") == true)
            #expect(shown.description.contains(" passed over: "))
            #expect(names.observed.all.count { $0.kind == .connecting } == 1)
        }
    }

    @Test("are told what is wrong with their stream before the next is asked (RFC 6120 section 4.9.1.1)")
    func told() async throws {
        try await run([Fault.inClear[3]]) { client, _, bad in
            try await client.established()
            _ = try await bad.first?.received.next { $0.element.matches("error", Namespace.streams) }
        }
    }

    @Test("are passed over one after the other")
    func several() async throws {
        let faults = [Fault.inClear[0], Fault.silentWithinTLS, Fault.withinTLS[0], Fault.inClear[7]]
        // Whatever is silent has the time of its stage, as often as there are such.
        try await run(faults) { client, names, bad in
            try await client.established()
            #expect(names.codes == faults.map(\.code))
            #expect(bad.map(connections) == [1, 1, 1, 1])
        }
    }

    @Test("end the connection by what the first failed by, or a certificate was refused for, where none is left")
    func noneLeft() async throws {
        let (closes, offersNoTLS, impostor) = (Fault.inClear[1], Fault.inClear[5], Fault.inClear[10])
        for (faults, text) in [
            ([offersNoTLS, closes], "TLS required"), ([closes, offersNoTLS], "closed the connection"),
            ([closes, impostor, offersNoTLS], "certificate refused"),
        ] {
            try await run(faults, hasGood: false) { client, names, bad in
                #expect(await client.end.description.contains(text))
                #expect(names.passedOver.count == faults.count - 1)
                #expect(bad.map(connections) == faults.map { _ in 1 })
            }
        }
    }

    @Test("are passed over eight times at most")
    func bound() async throws {
        try await run(Array(repeating: Fault.inClear[1], count: 9), hasGood: false) { client, names, _ in
            _ = await client.end
            #expect(names.passedOver.count == 8)
        }
    }

    @Test("are passed over for two minutes at most: four that are silent have used them up", arguments: [3, 4])
    func boundInTime(count: Int) async throws {
        try await run(Array(repeating: Fault.silentWithinTLS, count: count)) { client, names, _ in
            if count == 3 {
                try await client.established()
            } else {
                #expect(await client.end.description.contains("in time"))
                #expect(connections(client.server) == 0)
            }
            #expect(names.passedOver.count == 3)
        }
    }

    @Test(
        "are not, once the server has said something within TLS: its refusal is an answer",
        arguments: [
            ("host-unknown", ServerBehaviour.Moment.headerBehindTLS), ("system-shutdown", .headerBehindTLS),
            ("internal-server-error", .authentication), ("see-other-host", .binding),
        ])
    func refusal(_ condition: String, _ moment: ServerBehaviour.Moment) async throws {
        let refuses = Fault("refuses", "") {
            $0.interruption = .init(at: moment, streamError: condition, value: "localhost")
        }
        try await run([refuses]) { client, names, bad in
            await bad.first?.add(.bot, password: "secret")
            _ = await client.end
            #expect(names.passedOver.isEmpty)
            #expect(connections(client.server) == 0)
        }
    }

    @Test("are not for a wrong password")
    func password() async throws {
        try await run([Fault("does not know the account", "")]) { client, names, _ in
            let end = await client.end
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.code == .authenticationFailed)
            #expect(names.passedOver.isEmpty)
            #expect(connections(client.server) == 0)
        }
    }

    @Test("can be given up on while the next is tried: its channel is closed as well")
    func stopped() async throws {
        try await run([Fault.inClear[1]], good: { $0.silentFrom = .features }) { client, names, _ in
            try await names.reached(1)
            let connection = client.connection
            await client.onLoop { connection.stop() }
            guard case .stopped = await client.end.cause else { throw EventNeverCame(recorded: names.codes) }
            _ = try await client.server.events.next { if case .disconnected = $0 { true } else { false } }
        }
    }
}
