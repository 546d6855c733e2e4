import Dispatch
import Testing
import XMPPTransport

/// Collects values from any thread, and lets a test wait for what they lead to.
final class Recorder<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiters: [(isMet: @Sendable ([Value]) -> Bool, resume: @Sendable (Bool) -> Void)] = []
    }

    struct DeadlinePassed: Error, CustomStringConvertible {
        let description: String
    }

    private let state = Locked(State())

    var values: [Value] { state.withLock { $0.values } }

    func record(_ value: Value) {
        let met = state.withLock { state in
            state.values.append(value)
            let values = state.values
            let met = state.waiters.filter { $0.isMet(values) }
            state.waiters.removeAll { $0.isMet(values) }
            return met
        }
        for waiter in met { waiter.resume(true) }
    }

    /// Returns the values once they meet the condition; throws after 20 seconds.
    @discardableResult
    func wait(until isMet: @escaping @Sendable ([Value]) -> Bool) async throws -> [Value] {
        let isInTime = await withCheckedContinuation { continuation in
            let once = Locked(false)
            let resume: @Sendable (Bool) -> Void = { result in
                let isFirst = once.withLock { isDone in
                    defer { isDone = true }
                    return !isDone
                }
                guard isFirst else { return }
                continuation.resume(returning: result)
            }
            let isMetAlready = state.withLock { state in
                if isMet(state.values) { return true }
                state.waiters.append((isMet, resume))
                return false
            }
            if isMetAlready { resume(true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 20) { resume(false) }
        }
        guard isInTime else { throw DeadlinePassed(description: "never met; got \(values)") }
        return values
    }

    @discardableResult
    func wait(count: Int) async throws -> [Value] {
        try await wait { $0.count >= count }
    }
}

extension Recorder<ChannelEvent> {
    /// The bytes received so far, as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    var bytes: [UInt8] {
        values.flatMap { event -> [UInt8] in
            if case .received(let bytes) = event { bytes } else { [] }
        }
    }

    /// The events in order, one word each; what was received in a row is joined.
    var story: [String] {
        values.reduce(into: []) { story, event in
            switch event {
            case .attempted: break
            case .connected: story.append("connected")
            case .secured: story.append("secured")
            case .received: if story.last != "received" { story.append("received") }
            case .writable: story.append("writable")
            case .closed(.endOfStream): story.append("closed: end")
            case .closed(.local): story.append("closed: local")
            case .closed(.failed(let error)): story.append("closed: \(error.code.name)")
            }
        }
    }

    var closure: ChannelClosure? {
        values.compactMap { if case .closed(let closure) = $0 { closure } else { nil } }.first
    }

    var closureCount: Int { values.count { if case .closed = $0 { true } else { false } } }

    func waitForText(_ text: String) async throws {
        try await wait { events in
            let bytes = events.flatMap { event -> [UInt8] in
                if case .received(let bytes) = event { bytes } else { [] }
            }
            return String(decoding: bytes, as: UTF8.self) == text
        }
    }

    func waitForBytes(_ count: Int) async throws {
        try await wait { events in
            events.reduce(0) { sum, event in
                if case .received(let bytes) = event { sum + bytes.count } else { sum }
            } >= count
        }
    }

    /// The steps on the way to the server.
    var steps: [ConnectStep] { values.compactMap { if case .attempted(let step) = $0 { step } else { nil } } }

    func waitForConnected() async throws {
        try await wait { $0.contains { if case .connected = $0 { true } else { false } } }
    }

    func waitForSecured() async throws {
        try await wait { $0.contains { if case .secured = $0 { true } else { false } } }
    }

    @discardableResult
    func waitForClosure() async throws -> ChannelClosure {
        try await wait { $0.contains { if case .closed = $0 { true } else { false } } }
        return try #require(closure)
    }

    func waitForError() async throws -> TransportError {
        let closure = try await waitForClosure()
        guard case .failed(let error) = closure else {
            throw DeadlinePassed(description: "closed in order: \(closure)")
        }
        return error
    }
}
