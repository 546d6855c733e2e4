import Dispatch
import XMPPTransport

/// Keeps the events of something under test, and lets a test wait for the one it needs instead of sleeping.
///
/// Each event is given to one `next(where:)` at most; `all` keeps every one of them.
public final class EventRecorder<Event: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let matches: @Sendable (Event) -> Bool
        let continuation: CheckedContinuation<Event?, Never>
    }

    private struct State {
        var all: [Event] = []
        /// Those that no test has taken yet.
        var unclaimed: [Event] = []
        var waiters: [Waiter] = []
        var nextID = 0
    }

    private let state = Locked(State())

    /// A recorder without events.
    public init() {}

    /// Every event so far, in order.
    public var all: [Event] { state.withLock { $0.all } }

    /// Takes an event; from any thread.
    ///
    /// - Parameters:
    ///   - event: It is in `all` at once.
    ///   - effects: What it brings about, before any test that waits for it goes on.
    public func record(_ event: Event, effects: () -> Void = {}) {
        state.withLock { $0.all.append(event) }
        effects()
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.matches(event) }) else {
                state.unclaimed.append(event)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: event)
    }

    /// Waits for an event, or takes one that came already and was given to nobody.
    ///
    /// - Parameters:
    ///   - seconds: How long to wait in real time before the test is given up.
    ///   - matches: Tells the event that is meant; called under a lock, so it must not use the recorder.
    /// - Returns: The first such event.
    /// - Throws: `EventNeverCame`, with what came instead.
    public func next(within seconds: Int = 60, where matches: @escaping @Sendable (Event) -> Bool) async throws -> Event
    {
        let event = await withCheckedContinuation { continuation in
            let waiting: (claimed: Event?, id: Int) = state.withLock { state in
                if let index = state.unclaimed.firstIndex(where: matches) {
                    return (state.unclaimed.remove(at: index), 0)
                }
                state.nextID += 1
                state.waiters.append(Waiter(id: state.nextID, matches: matches, continuation: continuation))
                return (nil, state.nextID)
            }
            if let event = waiting.claimed { return continuation.resume(returning: event) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { self.giveUp(waiting.id) }
        }
        guard let event else { throw EventNeverCame(recorded: all.suffix(20).map { "\($0)" }) }
        return event
    }

    private func giveUp(_ id: Int) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: nil)
    }
}

/// An event that a test waited for did not come.
public struct EventNeverCame: Error, CustomStringConvertible {
    /// The last events that did come, as text.
    public let recorded: [String]

    /// What is said to have come.
    public init(recorded: [String]) {
        self.recorded = recorded
    }

    /// What came instead.
    public var description: String {
        recorded.isEmpty ? "nothing came at all" : "it never came; last came:\n" + recorded.joined(separator: "\n")
    }
}
