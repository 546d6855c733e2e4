import Foundation
import Glibc

/// The one temporary folder of this test process, and the guard that tidies up behind it.
///
/// A small shell waits at the other end of a pipe. When this process ends, in whatever way, the pipe closes; the shell
/// then ends the children that are still there, by their pid, and removes the folder. So neither a crash nor a
/// `kill -9` of the tests leaves a server running.
final class RunFolder: Sendable {
    static let shared = RunFolder()

    /// Short, since the path of a control socket is limited to 107 bytes.
    let path: String
    private let line: Int32

    private init() {
        let name = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        path = "/tmp/dw-\(name.prefix(8))"
        mkdir(path, 0o700)
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        // No child may hold the writing end: the guard waits for it to close.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        line = ends[1]
        // The shell is in a group of its own, so that ctrl-C in the terminal does not end it first.
        let script = """
            trap '' INT TERM HUP
            live=' '
            while read -r sign pid; do
                case $sign in
                    +) live="$live$pid " ;;
                    -) live=$(printf '%s' "$live" | sed "s/ $pid / /") ;;
                esac
            done
            [ -z "${live# }" ] || kill -9 $live 2>/dev/null
            rm -rf "$1"
            """
        _ = try? spawn("/bin/sh", ["-c", script, "guard", path], input: ends[0])
        close(ends[0])
    }

    /// A new folder inside.
    func folder(_ name: String) throws -> String {
        let unique = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        let folder = "\(path)/\(name)-\(unique)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// A child began.
    func began(_ pid: pid_t) { note("+ \(pid)\n") }

    /// A child ended; its pid is about to be free for others.
    func ended(_ pid: pid_t) { note("- \(pid)\n") }

    private func note(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(self.line, bytes, bytes.count)
    }
}
