import Synchronization
import Testing
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// A client of the tests: one connection, on a loop of its own.
final class Talker: Sendable {
    /// What a test waits for, the end included: nobody waits for what cannot come any more.
    enum Happening: Sendable {
        case event(ClientEvent)
        case ended(SessionEnd)
    }

    let events = EventRecorder<Happening>()
    let seen = EventRecorder<ConnectionObservation>()
    private let loop: EventLoop
    private let connection: ClientConnection
    private let running: Task<SessionEnd, Never>

    private struct Observer: ConnectionObserver {
        let seen: EventRecorder<ConnectionObservation>

        func observed(_ event: ConnectionObservation, of account: BareJID) { seen.record(event) }
    }

    init(
        _ place: Place, account: BareJID? = nil, password: String = "secret", resource: String = "talker",
        settings change: (inout ClientSettings) -> Void = { _ in }
    ) async throws {
        loop = try EventLoop(name: "talker")
        loop.start()
        var settings = ClientSettings(
            account: account ?? place.account, password: Secret(password), resource: resource,
            address: place.address, trust: place.trust)
        settings.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Talker")
        settings.observer = Observer(seen: seen)
        change(&settings)
        let events = events
        let connection = ClientConnection(settings: settings, connector: SocketConnector(), loop: loop) { event in
            events.record(.event(event))
        }
        self.connection = connection
        running = Task {
            let end = await connection.run()
            events.record(.ended(end))
            return end
        }
    }

    var end: SessionEnd { get async { await running.value } }

    /// Waits for something that comes before the end.
    func next<T>(_ take: @escaping @Sendable (ClientEvent) -> T?) async throws -> T {
        let happening = try await events.next { happening in
            switch happening {
            case .event(let event): take(event) != nil
            case .ended: true
            }
        }
        switch happening {
        case .event(let event): if let found = take(event) { return found }
        case .ended(let end): events.record(.ended(end))
        }
        throw HarnessError("it did not come; last came \(events.all.suffix(3))")
    }

    /// Waits for a new session.
    func established() async throws -> EstablishedSession {
        try await next { event in
            if case .established(let session) = event { session } else { nil }
        }
    }

    /// Waits until a session of before goes on.
    func resumed() async throws -> ResumedSession {
        try await next { event in
            if case .resumed(let session) = event { session } else { nil }
        }
    }

    func message(id: String) async throws {
        try await next { event -> Void? in
            guard case .received(.message(let message)) = event else { return nil }
            return message.element[attribute: "id"] == id ? () : nil
        }
    }

    /// Where stream management was on, and is confirmed.
    func managed() async throws {
        _ = try await seen.next { $0.kind == .managed }
    }

    /// What could be resumed if the link broke now.
    var resumable: ResumableSession? {
        get async { await onLoop { $0.resumable } }
    }

    func send(_ stanza: Element) async { _ = await onLoop { $0.send([stanza]) } }

    func request(_ payload: Element, to recipient: JID? = nil) async -> IQReply {
        let connection = connection
        return await withCheckedContinuation { continuation in
            loop.execute {
                let stanza = connection.request(.get, to: recipient, payload) { continuation.resume(returning: $0) }
                if let stanza { connection.send([stanza]) }
            }
        }
    }

    /// Closes the stream in order.
    @discardableResult
    func stop() async -> SessionEnd {
        await onLoop { $0.stop() }
        let end = await running.value
        loop.stop()
        return end
    }

    /// Goes away without a word, as a process that is stopped to come again.
    func drop() async -> SessionEnd {
        await onLoop { $0.drop() }
        let end = await running.value
        loop.stop()
        return end
    }

    private func onLoop<T: Sendable>(_ body: @escaping @Sendable (ClientConnection) -> T) async -> T {
        let connection = connection
        return await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body(connection)) }
        }
    }
}
