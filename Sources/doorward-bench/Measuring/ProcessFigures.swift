import Glibc
import XMPPTransport

/// What the kernel says of a process (proc_pid_stat(5), proc_pid_status(5)).
struct ProcessFigures: Sendable {
    /// User and system time of all its threads, those that have ended too, to the kernel's tick (10 ms).
    var cpu: Duration
    /// Resident memory, in KiB.
    var residentKiB: Int
    /// The most it was.
    var peakKiB: Int

    /// Of a process that has not begun.
    static let none = ProcessFigures(cpu: .zero, residentKiB: 0, peakKiB: 0)

    private init(cpu: Duration, residentKiB: Int, peakKiB: Int) {
        self.cpu = cpu
        self.residentKiB = residentKiB
        self.peakKiB = peakKiB
    }

    /// - Throws: Where the process is gone.
    init(of pid: Int32) throws(BenchError) {
        guard let stat = SmallFile.read("/proc/\(pid)/stat"), let status = SmallFile.read("/proc/\(pid)/status") else {
            throw BenchError("process \(pid) has ended before it could be measured")
        }
        // The name, in brackets, may hold blanks; what follows the last bracket does not. The state is field 3.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Int64(fields[12]), let system = Int64(fields[13]) else {
            throw BenchError("/proc/\(pid)/stat has another form than expected")
        }
        let ticks = max(1, Int64(sysconf(Int32(_SC_CLK_TCK))))
        cpu = .milliseconds((user + system) * 1000 / ticks)
        residentKiB = Self.line("VmRSS:", of: status)
        peakKiB = Self.line("VmHWM:", of: status)
    }

    private static func line(_ key: String, of text: String) -> Int {
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return 0
    }
}

/// Files of a few KiB, and what is appended to a growing one.
enum SmallFile {
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return String(decoding: rest(of: descriptor), as: UTF8.self)
    }

    /// All from the descriptor's place to the present end.
    static func rest(of descriptor: Int32) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return content }
            content += buffer[..<count]
        }
    }
}
