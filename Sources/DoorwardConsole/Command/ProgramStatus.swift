/// The exit statuses of the program; scripts rely on them.
package enum ProgramStatus: Int32, Hashable, Sendable, CaseIterable {
    case done = 0
    /// Refused, or not found.
    case refused = 1
    /// Bad usage, or a file with faults.
    case usage = 2
    /// The service is not running.
    case notRunning = 3
}
