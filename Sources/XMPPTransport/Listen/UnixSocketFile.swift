import CShims
import Glibc

/// The file of a listening Unix socket, known by its inode: another's at the same path is not removed.
struct UnixSocketFile: Sendable {
    let path: String
    private let device: UInt
    private let inode: UInt

    /// Makes, binds and listens; see `Listener.unix`.
    static func bind(
        path: String,
        mode: UInt32,
        backlog: Int32
    ) throws(TransportError) -> (descriptor: Int32, file: UnixSocketFile) {
        let address = try SocketAddress(unixPath: path)
        let folder = try openFolder(of: path)
        // Closing it ends the lock. Two starts at once must not take each other's socket for a stale one.
        defer { Glibc.close(folder) }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            throw TransportError(.addressInUse, "\(path): another process is about to listen there")
        }
        try removeStale(path, address)
        let descriptor = shim_socket(AF_UNIX)
        guard descriptor >= 0 else { throw TransportError(.system, "socket", errno: errno) }
        do throws(TransportError) {
            // The file is made with the socket's own mode (less the umask): it is never wider than `mode`, not for a
            // moment, and no umask of the whole process is touched.
            guard fchmod(descriptor, mode) == 0, address.withSockaddr({ Glibc.bind(descriptor, $0, $1) }) == 0,
                chmod(path, mode) == 0, Glibc.listen(descriptor, backlog) == 0
            else {
                throw TransportError(
                    errno == EADDRINUSE ? .addressInUse : .system,
                    "listening on \(path)",
                    errno: errno
                )
            }
            guard let status = status(of: path) else {
                throw TransportError(.system, "\(path) was removed at once")
            }
            let file = UnixSocketFile(path: path, device: UInt(status.st_dev), inode: UInt(status.st_ino))
            return (descriptor, file)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    func remove() {
        guard let status = Self.status(of: path), UInt(status.st_dev) == device, UInt(status.st_ino) == inode else {
            return
        }
        unlink(path)
    }

    private static func openFolder(of path: String) throws(TransportError) -> Int32 {
        let folder = folder(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransportError(.unsafeFolder, "the folder \(folder) of the socket", errno: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = errno
            Glibc.close(descriptor)
            throw TransportError(.unsafeFolder, "the folder \(folder) of the socket", errno: error)
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            Glibc.close(descriptor)
            throw TransportError(
                .unsafeFolder,
                "the folder \(folder) of the socket belongs to another user: give it to this one (chown), or name a socket in"
                    + " another folder")
        }
        guard status.st_mode & 0o027 == 0 else {
            Glibc.close(descriptor)
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw TransportError(
                .unsafeFolder,
                "the folder \(folder) of the socket has mode \(mode) and lets others in: chmod 750 \(folder)"
            )
        }
        return descriptor
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func removeStale(_ path: String, _ address: SocketAddress) throws(TransportError) {
        guard let status = status(of: path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw TransportError(.addressInUse, "\(path) is a file, and no socket: move it away")
        }
        let probe = shim_socket(AF_UNIX)
        guard probe >= 0 else { throw TransportError(.system, "socket", errno: errno) }
        defer { Glibc.close(probe) }
        let result = address.withSockaddr { Glibc.connect(probe, $0, $1) }
        guard result != 0 && errno == ECONNREFUSED else {
            throw TransportError(.addressInUse, "another process listens on \(path)")
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw TransportError(.system, "removing the stale socket \(path)", errno: errno)
        }
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
