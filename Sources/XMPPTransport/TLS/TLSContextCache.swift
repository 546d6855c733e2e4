import Glibc

/// What TLS reads of files, loaded once for all who name the same files; a file that changed is loaded again.
///
/// So are the system's authorities: one that is trusted no longer is not trusted by the next connection.
package final class TLSContextCache: Sendable {
    private struct Stamp: Equatable {
        let modifiedSeconds: Int
        let modifiedNanoseconds: Int
        let size: Int
        let inode: UInt

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            modifiedSeconds = status.st_mtim.tv_sec
            modifiedNanoseconds = status.st_mtim.tv_nsec
            size = Int(status.st_size)
            inode = UInt(status.st_ino)
        }
    }

    /// What was made of some files.
    private struct Loaded<Value: Sendable>: Sendable {
        private var entries: [[String]: (stamps: [Stamp?], value: Value)] = [:]

        mutating func value(
            of files: [String], _ load: () throws(TransportError) -> Value
        ) throws(TransportError) -> Value {
            let stamps = files.map { Stamp($0) }
            if let entry = entries[files], entry.stamps == stamps { return entry.value }
            let value = try load()
            entries[files] = (stamps, value)
            return value
        }
    }

    /// Locked while a file is loaded, on the blocking pool: who wants the same file waits for that one load.
    private let contexts = Locked(Loaded<TLSContext>())
    private let identities = Locked(Loaded<TLSIdentity>())

    private let systemAuthorities: @Sendable () -> [String]

    /// - Parameter systemAuthorities: The files and folders of the system's authorities.
    package init(systemAuthorities: @escaping @Sendable () -> [String] = { TLSContext.systemAuthorities }) {
        self.systemAuthorities = systemAuthorities
    }

    /// The client's context for a CA file.
    /// - Parameter caFile: see `TLSContext.client(caFile:)`.
    /// - Returns: the context loaded last, or a new one where the file is another by now.
    /// - Throws: `.caFileUnreadable`.
    package func context(caFile: String?) async throws -> TLSContext {
        let (contexts, systemAuthorities) = (contexts, systemAuthorities)
        return try await BlockingPool.run {
            try contexts.withLock { (contexts) throws(TransportError) in
                // A CA file may be the system's too: then both give the same.
                try contexts.value(of: caFile.map { [$0] } ?? systemAuthorities()) { () throws(TransportError) in
                    try TLSContext.client(caFile: caFile)
                }
            }
        }
    }

    /// The client's certificate of two files.
    /// - Returns: what was loaded last, or anew where a file is another by now.
    /// - Throws: `.certificateUnreadable`.
    package func identity(certificateFile: String, keyFile: String) async throws -> TLSIdentity {
        let identities = identities
        return try await BlockingPool.run {
            try identities.withLock { (identities) throws(TransportError) in
                try identities.value(of: [certificateFile, keyFile]) { () throws(TransportError) in
                    try TLSIdentity.load(certificateFile: certificateFile, keyFile: keyFile)
                }
            }
        }
    }
}
