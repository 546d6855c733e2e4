import Glibc

/// One loaded set of authorities for each CA file; a file that changed is loaded again.
package final class TLSContextCache: Sendable {
    private struct Stamp: Equatable {
        let modifiedSeconds: Int
        let modifiedNanoseconds: Int
        let size: Int
        let inode: UInt
    }

    private struct Entry {
        let stamp: Stamp?
        let context: TLSContext
    }

    /// Locked while a file is loaded, on the blocking pool: who wants the same file waits for that one load.
    private let entries = Locked<[String?: Entry]>([:])

    package init() {}

    /// The client's context for a CA file.
    /// - Parameter caFile: see `TLSContext.client(caFile:)`.
    /// - Returns: the context loaded last, or a new one where the file is another by now.
    /// - Throws: `.caFileUnreadable`.
    package func context(caFile: String?) async throws -> TLSContext {
        let entries = entries
        return try await BlockingPool.run {
            try entries.withLock { entries in
                let stamp = caFile.flatMap(Self.stamp)
                if let entry = entries[caFile], entry.stamp == stamp { return entry.context }
                let context = try TLSContext.client(caFile: caFile)
                entries[caFile] = Entry(stamp: stamp, context: context)
                return context
            }
        }
    }

    private static func stamp(of path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            modifiedSeconds: status.st_mtim.tv_sec,
            modifiedNanoseconds: status.st_mtim.tv_nsec,
            size: Int(status.st_size),
            inode: UInt(status.st_ino)
        )
    }
}
