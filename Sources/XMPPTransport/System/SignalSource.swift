import CShims
import Glibc

/// Signals as events of a loop.
package final class SignalSource: Sendable {
    private let loop: EventLoop
    private let descriptor: Int32
    private let registration = Locked<Registration?>(nil)
    private let isClosed = Locked(false)
    private let handler: @Sendable (Int32) -> Void

    /// Holds signals back from their usual effect, for this thread and those that it starts: to be called before there
    /// are others.
    package static func block(_ signals: [Int32]) {
        // Fails only for numbers that are no signals.
        _ = shim_block_signals(signals, signals.count)
    }

    /// Delivers signals that `block(_:)` holds back to `handler`, on the loop.
    /// - Throws: `.system`.
    package init(
        _ signals: [Int32],
        on loop: EventLoop,
        handler: @escaping @Sendable (Int32) -> Void
    ) throws(TransportError) {
        descriptor = shim_signalfd(signals, signals.count)
        guard descriptor >= 0 else { throw TransportError(.system, "signalfd", errno: errno) }
        self.loop = loop
        self.handler = handler
        loop.execute { [self] in
            guard !isClosed.withLock({ $0 }) else { return }
            // Registering fails only for want of memory.
            let made = try? loop.register(descriptor, events: Readiness.readable) { [self] _ in deliver() }
            registration.withLock { $0 = made }
        }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Delivers no more; from any thread.
    ///
    /// The signals stay blocked.
    package func close() {
        isClosed.withLock { $0 = true }
        loop.execute { [self] in
            registration.withLock { $0.take() }.map(loop.unregister)
        }
    }

    private func deliver() {
        while !isClosed.withLock({ $0 }) {
            let signal = shim_next_signal(descriptor)
            guard signal > 0 else { return }
            handler(signal)
        }
    }
}
