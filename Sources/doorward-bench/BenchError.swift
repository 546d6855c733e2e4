import Glibc

/// Why there are no figures: one line that says what to do.
struct BenchError: Error, CustomStringConvertible {
    let description: String
    let isUsage: Bool

    init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}

/// One line on standard error: standard output has the figures only.
func complain(_ line: String) {
    let bytes = Array("doorward-bench: \(line)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}
