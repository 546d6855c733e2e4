import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// A server and a client of it that lives, whose pauses are next to nothing unless a test needs them long.
struct LivingClient {
    /// What the observer saw, with something that is done at each step, on the loop.
    final class Notes: ConnectionObserver {
        let kinds = EventRecorder<ConnectionObservation.Kind>()
        let act = Locked<(@Sendable (ConnectionObservation) -> Void)?>(nil)

        func observed(_ event: ConnectionObservation, of account: BareJID) {
            act.withLock { $0 }?(event)
            kinds.record(event.kind)
        }
    }

    let server: ScriptedServer
    let client: Client
    let notes = Notes()
    let running: Task<Void, any Error>

    init(
        _ behaviour: ServerBehaviour = .modern, server given: ScriptedServer? = nil, time: ManualTime? = nil,
        roster: [ServerRosterItem] = [], options change: (inout Client.Options) -> Void = { _ in }
    ) async throws {
        let server = try given ?? ScriptedServer()
        await server.add(.bot, password: "secret", roster: roster)
        await server.behave { $0 = behaviour }
        var options = Client.Options()
        options.transport = server.transport(time: time)
        options.observer = notes
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        change(&options)
        let client = try Client(account: .bot, password: "secret", options: options)
        (self.server, self.client) = (server, client)
        running = Task { try await client.run() }
    }

    /// Its presence has arrived.
    func available() async throws {
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        try await server.barrier(.bot)
    }

    func resumed() async throws {
        _ = try await server.events.next { if case .resumed = $0 { true } else { false } }
        try await server.barrier(.bot)
    }

    /// Ends both.
    func finish() async throws {
        notes.act.withLock { $0 = nil }
        await client.stop()
        try await running.value
        server.stop()
    }
}

/// What a call of the client's threw.
func clientError(_ body: () async throws -> Void) async -> ClientError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ClientError
    }
}
