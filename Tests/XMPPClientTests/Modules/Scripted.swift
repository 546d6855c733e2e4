import XMPPClient
import XMPPCore
import XMPPTestKit
import XMPPTransport

/// A module that does what a test says.
struct Scripted: XMPPModule {
    struct Settings: Decodable, Sendable {
        var run: @Sendable (ModuleContext) async throws -> Void = { _ in }
        var stop: @Sendable (ModuleContext) async -> Void = { _ in }
        var handle: @Sendable (ModuleEvent, ModuleContext) async throws -> Void

        init(_ handle: @escaping @Sendable (ModuleEvent, ModuleContext) async throws -> Void) { self.handle = handle }

        struct NotDecodable: Error {}
        init(from decoder: any Decoder) throws { throw NotDecodable() }
    }

    static let name = "scripted"
    static let interests: ModuleInterests = [.messages, .presences, .contacts, .decisions, .sessions]
    static let namespaces = ["urn:example:scripted"]

    let settings: Settings

    init(settings: Settings) { self.settings = settings }

    func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
        try await settings.handle(event, context)
    }

    func run(in context: ModuleContext) async throws { try await settings.run(context) }
    func stop(in context: ModuleContext) async { await settings.stop(context) }
}

/// Whoever waits at it goes on once it is opened; it tells how many have come.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let arrivals = EventRecorder<Int>()

    /// Waits, whether or not the task is cancelled.
    func wait() async {
        arrivals.record(1)
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when one more has come.
    func reached() async throws { _ = try await arrivals.next { _ in true } }
}

extension ModuleEvent {
    var body: String? { if case .message(let message, _) = self { message.body } else { nil } }
}
