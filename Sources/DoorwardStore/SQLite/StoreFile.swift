import Glibc

/// The lock that keeps a second doorward off a store, and the file's permissions.
///
/// The lock is `flock` on a file beside the database: SQLite's own locks are POSIX record locks, which do not keep a
/// second `Store` of the same process off, and which would keep off a person who only reads with `sqlite3`.
final class StoreFile {
    private let lock: Int32

    /// Makes the folder and the file where they are missing, and takes the lock.
    init(path: String) throws(StoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw StoreError(.cannotOpen, "the store has no path") }
        try Self.makeFolder(of: path)
        lock = try Self.takeLock(path)
        // Made before SQLite does, so that it is 0600 whatever the umask; SQLite gives -wal and -shm the same mode.
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure("open the store", path) }
        // A copy that was put back may be open to others. Where it belongs to another user this fails, and stays as it is.
        _ = fchmod(file, 0o600)
        Glibc.close(file)
    }

    /// Whether there is a store at that path.
    ///
    /// - Throws: Where that cannot be seen.
    static func exists(_ path: String) throws(StoreError) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw failure("look for the store", path) }
        return false
    }

    deinit {
        // The file stays: to remove it would let two processes lock two files of one name.
        Glibc.close(lock)
    }

    private static func takeLock(_ path: String) throws(StoreError) -> Int32 {
        let name = path + ".lock"
        let file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("open the lock file", name) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let holder = readHolder(file)
            Glibc.close(file)
            throw StoreError(
                .inUse,
                "another doorward\(holder.map { " (process \($0))" } ?? "") is using the store \(path): "
                    + "stop it, or give this one another store"
            )
        }
        // Only a help for people; the lock is the flock.
        let text = "\(getpid())\n"
        if ftruncate(file, 0) == 0 { _ = pwrite(file, text, text.utf8.count, 0) }
        return file
    }

    private static func readHolder(_ file: Int32) -> Int32? {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            return Int32(String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
    }

    private static func makeFolder(of path: String) throws(StoreError) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return }
        let folder = String(path[..<slash])
        if access(folder, F_OK) == 0 { return }
        try makeFolder(of: folder)
        guard mkdir(folder, 0o750) == 0 || errno == EEXIST else { throw failure("make the folder", folder) }
    }

    private static func failure(_ what: String, _ path: String) -> StoreError {
        let number = errno
        let code: StoreError.Code = number == ENOSPC || number == EDQUOT ? .full : .cannotOpen
        return StoreError(
            code,
            "cannot \(what) \(path): \(String(cString: strerror(number))); check its owner and permissions"
        )
    }
}
