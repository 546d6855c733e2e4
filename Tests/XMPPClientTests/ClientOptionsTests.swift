import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// What a program sets of a client, and what it is told, over the network and by what is public alone.
@Suite struct ClientOptionsTests {
    private final class Notes: ConnectionObserver {
        let events = EventRecorder<ConnectionObservation>()
        func observed(_ event: ConnectionObservation, of account: BareJID) { events.record(event) }

        func all<Detail>(_ detail: (ConnectionObservation) -> Detail?) -> [Detail] { events.all.compactMap(detail) }
    }

    /// A server on a port of its own, and a client that comes to it once.
    private struct Place {
        let authority: TestAuthority
        let server: ScriptedServer
        let notes = Notes()
        var options = Client.Options()

        init(asksForCertificate: Bool = false) async throws {
            authority = try TestAuthority()
            server = try ScriptedServer()
            await server.behave { $0 = .modern }
            await server.add(.bot, password: "secret")
            let port = try await server.listen(
                with: try authority.certificate(for: "example.org"), clientsOf: asksForCertificate ? authority : nil)
            options.authorities = authority.caFile
            options.server = .init(host: "127.0.0.1", port: port)
            options.observer = notes
            options.reconnects = false
        }

        /// - Returns: Why it did not come online; nil where it did, and was stopped then.
        func visit(password: String? = "secret") async throws -> ClientError? {
            let client = try Client(account: .bot, password: password, options: options)
            let running = Task { try await client.run() }
            let last = try await notes.events.next { $0.kind == .established || $0.kind == .ended }
            // Whoever stops it does not want to know why it ended.
            if last.kind == .established { await client.stop() }
            defer { server.stop() }
            do {
                try await running.value
                return nil
            } catch {
                return error as? ClientError
            }
        }
    }

    @Test("an observer gets the address, TLS, the login and the session in types, each with how far the connection is")
    func details() async throws {
        let place = try await Place()
        #expect(try await place.visit() == nil)
        let notes = place.notes
        let port = try #require(place.options.server?.port)
        #expect(Set(notes.all(\.address)) == ["127.0.0.1:\(port)"])
        let tls = try #require(notes.all(\.tls).first)
        #expect(tls.version == "TLSv1.3")
        #expect(tls.verifiedName == "DNS example.org")
        #expect(!tls.isResumed)
        #expect((tls.certificateEnd?.milliseconds ?? 0) > 1_767_225_600_000)
        #expect(tls.pin != nil)
        let logins = notes.all(\.login)
        #expect(Set(logins.map(\.mechanism)) == ["SCRAM-SHA-256-PLUS"])
        // Chosen, accepted, and the session's: no step says less of the binding than it is.
        #expect(logins.map(\.channelBinding) == ["tls-exporter", "tls-exporter", "tls-exporter"])
        #expect(Set(logins.map(\.usesSASL2)) == [true])
        #expect(notes.all(\.session).map(\.isResumed) == [false])
        #expect(notes.all(\.session).map(\.hasLostPrevious) == [false])
        #expect(notes.all(\.failure).isEmpty)
        var stages: [String] = []
        for event in notes.events.all where event.stage.name != stages.last { stages.append(event.stage.name) }
        // The resource is bound with the login.
        #expect(stages == ["connecting", "securing", "authenticating", "online"])
        #expect(notes.events.all.first?.boundAddress == nil)
        #expect(notes.events.all.first { $0.kind == .established }?.boundAddress?.bare == .bot)
    }

    @Test("however an observation is printed, it shows no secret and no message, its end neither")
    func printed() async throws {
        let (server, notes) = (try ScriptedServer(), Notes())
        defer { server.stop() }
        await server.behave {
            $0 = .modern
            $0.streamManagement?.acknowledges = false
        }
        await server.add(.bot, password: "secret")
        var options = Client.Options()
        options.transport = server.transport()
        options.observer = notes
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        let body = "private words"
        try await client.send(Message(to: JID("ann@example.net/a"), body: body))
        try await server.barrier(.bot)
        await client.stop(resumable: true)
        try await running.value
        var texts: [String] = []
        for event in notes.events.all {
            var dumped = ""
            dump(event, to: &dumped)
            for part: Any in [event.tls as Any, event.login as Any, event.session as Any, event.failure as Any] {
                dump(part, to: &dumped)
            }
            texts += [dumped, "\(event)", String(reflecting: event), "\([event])"]
        }
        #expect(texts.contains { $0.contains("ended") })
        // As text, or as the numbers of its bytes.
        let bytes = body.utf8.map { "\($0)" }
        for text in texts {
            for part in [body, "secret", bytes.joined(separator: ", ")] { #expect(!text.contains(part), "\(text)") }
        }
    }

    @Test("what fails has a code and a condition, and its stage", arguments: [true, false])
    func failures(isCertificate: Bool) async throws {
        var place = try await Place()
        let other = try TestAuthority()
        if isCertificate { place.options.authorities = other.caFile }
        let error = try #require(try await place.visit(password: "wrong"))
        let end = try #require(place.notes.events.all.last)
        #expect(end.kind == .ended)
        guard !isCertificate else {
            #expect(error.code == .unreachable)
            #expect(end.failure?.code == "unreachable")
            return
        }
        #expect(error.reason == "authentication_failed")
        #expect(end.stage == .authenticating)
        #expect(end.failure?.code == "authentication_failed")
        #expect(end.failure?.condition == "not-authorized")
    }

    @Test("a pin as it was observed is good, and another one is not", arguments: [true, false])
    func pins(isRight: Bool) async throws {
        var place = try await Place()
        let other = try #require(Client.Options.Pin(digest: [UInt8](repeating: 7, count: 32)))
        // What is shown is what is read.
        #expect(Client.Options.Pin("\(other)") == other)
        for text in ["", "sha256/", "sha256/AAAA", "sha1/\(other)", "\(other)x"] {
            #expect(Client.Options.Pin(text) == nil, "\(text)")
        }
        if isRight {
            let probe = Notes()
            var options = place.options
            options.observer = probe
            let client = try Client(account: .bot, password: "secret", options: options)
            let running = Task { try await client.run() }
            let pin = try await probe.events.next { $0.tls != nil }.tls?.pin
            await client.stop()
            try await running.value
            place.options.pins = [other, try #require(pin)]
        } else {
            place.options.pins = [other]
        }
        #expect((try await place.visit() == nil) == isRight)
    }

    @Test("a certificate of the account's own is enough to log in, and no password is needed")
    func certificate() async throws {
        var place = try await Place(asksForCertificate: true)
        await place.server.behave {
            $0.mechanisms.append("EXTERNAL")
            $0.certificateOwner = "bot@example.org"
        }
        let certificate = try place.authority.clientCertificate(for: "bot@example.org")
        place.options.certificate = .init(file: certificate.certificateFile, key: certificate.keyFile)
        #expect(try await place.visit(password: nil) == nil)
        #expect(place.notes.all(\.login).last?.mechanism == "EXTERNAL")
        var broken = try await Place()
        broken.options.certificate = .init(file: "/nowhere/bot.pem", key: "/nowhere/bot.key")
        let client = try Client(account: .bot, password: nil, options: broken.options)
        let error = await #expect(throws: ClientError.self) { try await client.run() }
        #expect(error?.code == .unusable)
        #expect(error?.text.contains("/nowhere/bot.pem") == true)
        broken.server.stop()
    }

    @Test(
        "the iterations that a server may ask for are within what is set, and never outside of reason",
        arguments: [
            (4095, 4096...100_000, false), (4095, 4095...5000, true), (999, 1...5000, false), (1000, 1...5000, true),
        ])
    func iterations(asked: Int, bounds: ClosedRange<Int>, isGood: Bool) async throws {
        var place = try await Place()
        await place.server.behave { $0.iterations = asked }
        place.options.iterations = bounds
        let error = try await place.visit()
        #expect(error?.reason == (isGood ? nil : "iterations_out_of_bounds"))
    }

    @Test(
        "without a server of its own a client asks DNS for the services that it is told",
        arguments: [
            (Client.Options.Services.all, "connecting to the servers of example.org"),
            (.directTLS, "connecting to the servers of example.org by direct TLS only"),
            (.startTLS, "connecting to the servers of example.org by STARTTLS only"),
        ])
    func services(services: Client.Options.Services, says: String) async throws {
        var place = try await Place()
        place.options.server = nil
        place.options.services = services
        place.options.transport = place.server.transport()
        #expect(try await place.visit() == nil)
        #expect(place.notes.events.all.first?.description == says)
        #expect(place.notes.events.all.first?.address == nil)
    }
}
