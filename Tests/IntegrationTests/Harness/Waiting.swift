import Foundation

/// Does something later, on a queue of its own.
func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + delay.seconds, execute: body)
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// Lets a moment pass.
func pause(_ delay: Duration) async {
    await withCheckedContinuation { continuation in after(delay) { continuation.resume() } }
}

/// Looks again and again until something is the case: for what no event tells of, such as another process's state.
///
/// `what` is for the error; `look` gives nil while it is not so.
@discardableResult
func eventually<T: Sendable>(
    _ what: String, within limit: Duration = .seconds(30), every step: Duration = .milliseconds(50),
    _ look: () async throws -> T?
) async throws -> T {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
        if let found = try await look() { return found }
        guard clock.now < deadline else { throw HarnessError("waited \(limit) in vain for: \(what)") }
        await pause(step)
    }
}

/// The same for a plain condition.
func eventually(
    _ what: String, within limit: Duration = .seconds(30), every step: Duration = .milliseconds(50),
    _ condition: () async throws -> Bool
) async throws {
    try await eventually(what, within: limit, every: step) { () -> Void? in try await condition() ? () : nil }
}
