import Dispatch
import XMPPTransport

/// Writes the log's lines in order on a thread of its own: a pipe that nobody reads must not hold an event loop.
///
/// Bounded: past `limit` waiting lines the newest are dropped, and a line says how many.
final class LogWriter: Sendable {
    /// Most lines that wait to be written.
    static let limit = 10_000

    private struct State {
        var waiting = 0
        var dropped = 0
    }

    private let queue = DispatchQueue(label: "doorward.log")
    private let state = Locked(State())
    private let output: @Sendable (String) -> Void

    /// A writer.
    ///
    /// - Parameter output: Writes one line; may block.
    init(_ output: @escaping @Sendable (String) -> Void) {
        self.output = output
    }

    func write(_ line: String) {
        let dropped: Int? = state.withLock { state in
            guard state.waiting < Self.limit else {
                state.dropped += 1
                return nil
            }
            state.waiting += 1
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard let dropped else { return }
        queue.async { [self] in
            if dropped > 0 { output("event=log_lines_dropped count=\(dropped)") }
            output(line)
            state.withLock { $0.waiting -= 1 }
        }
    }

    /// Returns when all that was given is written.
    func flush() {
        queue.sync {}
    }
}
