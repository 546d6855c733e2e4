import Glibc
package import XMPPCore

/// Pictures as files of a folder, each under its hash: read and written by blocking calls.
///
/// A file is written under another name and then given its own, so that it is there as a whole or not at all. What is read
/// is held against its name again: a file that was damaged is no picture.
package struct AvatarFiles: Sendable {
    /// A file.
    package struct Entry: Sendable {
        package var hash: AvatarHash
        package var bytes: Int
        /// When it was last used, in seconds; only for an order.
        package var usedAt: Int64
    }

    /// Most names that are looked at; further files stay as they are, unused.
    private static let limit = 100_000

    private let folder: String

    /// The pictures of a folder, which is made when the first one is written.
    package init(folder: String) {
        self.folder = folder
    }

    /// What is there.
    package func list() -> [Entry] {
        names().compactMap { name in
            // Only the one spelling that is written.
            guard let hash = AvatarHash(name), hash.description.utf8.elementsEqual(name.utf8) else { return nil }
            var status = stat()
            guard lstat(path(hash), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return Entry(hash: hash, bytes: Int(status.st_size), usedAt: Int64(status.st_mtim.tv_sec))
        }
    }

    /// Removes what a process left that ended while it wrote; to be called before anything is written.
    package func removeUnfinished() {
        for name in names() where name.hasSuffix(Self.unfinished) { unlink(folder + "/" + name) }
    }

    private func names() -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < Self.limit, let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    /// A picture; nil where it is not there, or is another than its name says.
    package func read(_ hash: AvatarHash) -> AvatarImage? {
        let file = open(path(hash), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: AvatarImage.limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        bytes.removeLast(bytes.count - count)
        guard let image = try? AvatarImage(bytes), image.hash == hash else { return nil }
        // Its time is when it was last used.
        futimens(file, nil)
        return image
    }

    /// Writes a picture.
    ///
    /// - Throws: `StoreError` with what the system says.
    package func write(_ image: AvatarImage) throws(StoreError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure("make the folder", folder) }
        let target = path(image.hash)
        // One process has the store, and so the folder; two threads that write one picture write the same.
        let name = target + "." + String(UInt32.random(in: .min ... .max), radix: 16) + Self.unfinished
        let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("write", name) }
        var rest = image.bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                let error = failure("write", name)
                close(file)
                unlink(name)
                throw error
            }
            rest = rest.dropFirst(written)
        }
        close(file)
        // Not waited for the disk: what a crash takes is fetched again, and what it damages does not match its name.
        guard rename(name, target) == 0 else {
            let error = failure("name", target)
            unlink(name)
            throw error
        }
    }

    /// Removes a picture, if it is there.
    package func remove(_ hash: AvatarHash) { unlink(path(hash)) }

    private static let unfinished = ".new"

    private func path(_ hash: AvatarHash) -> String { folder + "/" + hash.description }

    private func failure(_ action: String, _ path: String) -> StoreError {
        let code = errno
        let reason = String(cString: strerror(code))
        let isFull = code == ENOSPC || code == EDQUOT
        return StoreError(isFull ? .full : .cannotOpen, "cannot \(action) \(path): \(reason)")
    }
}
