import Glibc
import XMPPTransport

/// A file that gets one line an event, so that the demo's terminal stays for the story.
final class LogFile: Sendable {
    private let descriptor: Int32
    private let lock = Locked(())

    init(path: String) throws(DemoError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DemoError(.fileFailed, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// A line that cannot be written is lost: the demo goes on without its log.
    func write(_ line: String) {
        lock.withLock { _ in
            let bytes = Array((line + "\n").utf8)
            _ = Glibc.write(descriptor, bytes, bytes.count)
        }
    }
}
