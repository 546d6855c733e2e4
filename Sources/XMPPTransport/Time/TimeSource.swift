/// Where a loop takes its time from: the system, or a test's hand.
package protocol TimeSource: Sendable {
    /// Monotonic time since an arbitrary origin.
    var now: Duration { get }
    /// Wall clock, milliseconds since 1970.
    var wallMilliseconds: Int64 { get }
    /// Whether time moves only by hand; a loop then never waits for it, but for `onAdvance`.
    var isManual: Bool { get }
    /// A manual source calls `wake` whenever its time was moved; the system's never does.
    ///
    /// - Parameters:
    ///   - loop: Whose wake it is; held weakly, if at all.
    ///   - wake: From any thread.
    func onAdvance(of loop: EventLoop, _ wake: @escaping @Sendable () -> Void)
}

extension TimeSource {
    package var isManual: Bool { false }
}
