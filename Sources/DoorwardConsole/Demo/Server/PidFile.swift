import Glibc

/// The note of which Prosody is ours, so that one left behind by a run that was killed hard is ended at the next start.
struct PidFile {
    let path: String
    /// A text that stands in the command line of our Prosody and of no other process: its configuration's path.
    let mark: String

    func write(_ pid: pid_t) throws(DemoError) {
        try Files.write("\(pid)\n", to: path, mode: 0o600)
    }

    func remove() { unlink(path) }

    /// Ends the process it names, if that is still ours; waits until it is gone.
    ///
    /// - Parameter patience: How long it may take to end by itself.
    func endStale(patience: Duration = .seconds(5)) {
        guard let pid = pid_t(Files.tail(path).prefix { $0.isNumber }), pid > 1, isOurs(pid) else {
            remove()
            return
        }
        kill(pid, SIGTERM)
        // Not our child: its end shows in /proc only. Asked again each time, since the number may be used anew.
        let deadline = ContinuousClock.now + patience
        while isOurs(pid) {
            if ContinuousClock.now >= deadline { kill(pid, SIGKILL) }
            usleep(20_000)
        }
        remove()
    }

    /// Whether that process has our mark as one of its arguments.
    func isOurs(_ pid: pid_t) -> Bool {
        let descriptor = open("/proc/\(pid)/cmdline", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        return buffer[..<count].split(separator: 0).contains { $0.elementsEqual(mark.utf8) }
    }
}
