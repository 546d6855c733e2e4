import Dispatch
import XMPPTransport

/// Writes the log's lines in order on a thread of its own: a pipe that nobody reads must not hold an event loop, and what
/// gathers meanwhile leaves in one write.
///
/// Bounded: past `limit` waiting lines the newest are dropped, and a line says how many.
final class LogWriter: Sendable {
    /// Most lines that wait to be written.
    static let limit = 10_000
    /// What comes so soon behind lines that were written waits, and wakes nobody.
    private static let gathering = DispatchTimeInterval.milliseconds(100)

    /// Makes a line, where it is written.
    typealias Line = @Sendable () -> String

    private struct State {
        var lines: [Line] = []
        /// Those, and what is being written.
        var waiting = 0
        var dropped = 0
        /// Whether the thread is sure to look here again.
        var isAwake = false
    }

    private let queue = DispatchQueue(label: "doorward.log")
    /// Signalled to end that wait.
    private let haste = DispatchSemaphore(value: 0)
    private let state = Locked(State())
    private let output: @Sendable (String) -> Void

    /// A writer.
    ///
    /// - Parameter output: Writes one line, or several with line ends between them; may block.
    init(_ output: @escaping @Sendable (String) -> Void) {
        self.output = output
    }

    func write(_ line: String) { write { line } }

    func write(_ line: @escaping Line) {
        let mustWake = state.withLock { state in
            guard state.waiting < Self.limit else {
                state.dropped += 1
                return false
            }
            if state.dropped > 0 {
                let dropped = state.dropped
                state.dropped = 0
                state.lines.append { "event=log_lines_dropped count=\(dropped)" }
                state.waiting += 1
            }
            state.lines.append(line)
            state.waiting += 1
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if mustWake { queue.async { self.writeAll() } }
    }

    /// Returns when all that was given is written.
    func flush() {
        haste.signal()
        queue.sync {}
    }

    private func writeAll() {
        while let lines = takeLines() {
            output(lines.map { $0() }.joined(separator: "\n"))
            state.withLock { $0.waiting -= lines.count }
            _ = haste.wait(timeout: .now() + Self.gathering)
        }
    }

    private func takeLines() -> [Line]? {
        state.withLock { state in
            state.isAwake = !state.lines.isEmpty
            guard state.isAwake else { return nil }
            defer { state.lines = [] }
            return state.lines
        }
    }
}
