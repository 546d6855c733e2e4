import Foundation
import Greeter
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// How the author of a bot tests it: without a network, a server of others, or a pause.
@Suite struct GreeterTests {
    private let account: BareJID
    private let server: ScriptedServer

    init() async throws {
        account = try BareJID("bot@example.org")
        server = try ScriptedServer()
        await server.add(account, password: "secret")
        await server.behave { $0 = .modern }
    }

    private func options(_ change: (inout Client.Options) -> Void = { _ in }) -> Client.Options {
        var options = Client.Options()
        options.transport = server.transport()
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        change(&options)
        return options
    }

    private func withGreeter(
        _ options: Client.Options, resumable: Bool = false, _ body: () async throws -> Void
    ) async throws -> Client.Memory {
        let greeter = try Greeter(account: account, password: "secret", options: options)
        let running = Task { try await greeter.run() }
        try await body()
        await greeter.client.stop(resumable: resumable)
        try await running.value
        return await greeter.client.memory
    }

    private func online() async throws {
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
    }

    @Test("who is of the same domain is let in and greeted, others are refused")
    func answers() async throws {
        _ = try await withGreeter(options()) {
            try await online()
            await server.ask(account, from: try JID("ann@example.org"), "hi")
            _ = try await server.received.next { $0.isPresence("subscribed", to: "ann@example.org") }
            let hello = try await server.received.next { $0.element.name == "message" }
            #expect(hello.element.first("body", "jabber:client")?.text == "Hello, you!")
            await server.ask(account, from: try JID("eve@example.net"))
            _ = try await server.received.next { $0.isPresence("unsubscribed", to: "eve@example.net") }
        }
        server.stop()
    }

    @Test("whom it let in may ping it; strangers get the answer that they get to anything else")
    func pings() async throws {
        let greeter = try Greeter(account: account, password: "secret", options: options())
        let running = Task { try await greeter.run() }
        try await greeter.client.online()
        await server.ask(account, from: try JID("ann@example.org"))
        _ = try await server.received.next { $0.isPresence("subscribed", to: "ann@example.org") }
        try await server.barrier(account)
        #expect(try await greeter.contacts() == [try BareJID("ann@example.org")])
        for (sender, isAnswered) in [("ann@example.org/x", true), ("example.org", true), ("eve@example.org/x", false)] {
            for (number, payload) in ["<ping xmlns='urn:xmpp:ping'/>", "<q xmlns='urn:example:q'/>"].enumerated() {
                let id = "\(number)-\(sender)"
                await server.send("<iq type='get' id='\(id)' from='\(sender)'>\(payload)</iq>", to: account)
                let answer = try await server.received.next { $0.isReply(to: id) }.element
                let error = answer.first("error", "jabber:client")?.elements.first?.name
                #expect(error == (isAnswered && number == 0 ? nil : "service-unavailable"), "\(sender)")
            }
        }
        await greeter.client.stop()
        try await running.value
        server.stop()
    }

    @Test("a request that comes while the link is broken is answered when it is back")
    func brokenLink() async throws {
        _ = try await withGreeter(options()) {
            try await online()
            await server.dropLink(of: account)
            _ = try await server.events.next { if case .disconnected = $0 { true } else { false } }
            await server.ask(account, from: try JID("ann@example.org"))
            _ = try await server.received.next { $0.isPresence("subscribed", to: "ann@example.org") }
        }
        server.stop()
    }

    @Test("a restart goes unnoticed: the next process takes the session up by what this one has stored")
    func restart() async throws {
        let files = EventRecorder<Data>()
        let keeping = options { $0.keep = { memory in files.record(try JSONEncoder().encode(memory)) } }
        _ = try await withGreeter(keeping, resumable: true) { try await online() }
        let next = try JSONDecoder().decode(Client.Memory.self, from: try #require(files.all.last))
        #expect(next.sessionAddress != nil)
        _ = try await withGreeter(options { $0.memory = next }) {
            _ = try await server.events.next { if case .resumed = $0 { true } else { false } }
            await server.ask(account, from: try JID("ann@example.org"))
            _ = try await server.received.next { $0.isPresence("subscribed", to: "ann@example.org") }
        }
        server.stop()
    }

    @Test("over the network it checks the server's certificate, and an observer sees how it logs in")
    func network() async throws {
        final class Watcher: ConnectionObserver {
            let logins = EventRecorder<ConnectionObservation.Login>()
            func observed(_ event: ConnectionObservation, of account: BareJID) {
                if let login = event.login { logins.record(login) }
            }
        }
        let authority = try TestAuthority()
        let port = try await server.listen(with: try authority.certificate(for: "example.org"))
        let watcher = Watcher()
        var options = Client.Options()
        options.server = .init(host: "127.0.0.1", port: port)
        options.authorities = authority.caFile
        options.observer = watcher
        _ = try await withGreeter(options) { try await online() }
        let login = try await watcher.logins.next { _ in true }
        #expect(login.mechanism == "SCRAM-SHA-256-PLUS")
        #expect(login.channelBinding == "tls-exporter")
        await server.stopListening()
        server.stop()
    }

    @Test("the pause behind a connection that broke is moved over by hand")
    func pause() async throws {
        let time = ManualTime()
        let slow = options {
            $0.transport = server.transport(time: time)
            $0.backoff = Backoff(base: .seconds(100), cap: .seconds(100))
        }
        await server.behave { $0.streamManagement = nil }
        _ = try await withGreeter(slow) {
            try await online()
            await server.dropLink(of: account)
            _ = try await server.events.next { if case .disconnected = $0 { true } else { false } }
            // It has seen that, and waits: up to 100 s.
            await time.settle()
            time.advance(by: .seconds(100))
            try await online()
        }
        server.stop()
    }
}
