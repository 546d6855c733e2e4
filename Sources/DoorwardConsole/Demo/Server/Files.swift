import Glibc

/// The few things the demo does with files.
enum Files {
    /// Makes a folder with its parents; the last one gets exactly that mode, whether or not it was there.
    ///
    /// Parents that are missing are made with 0750: what the demo makes on its way, such as `var`, the service uses for
    /// its socket, and that asks for a folder which others cannot enter.
    static func makeFolder(_ path: String, mode: mode_t) throws(DemoError) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/\(part)"
            guard mkdir(made, 0o750) == 0 || errno == EEXIST else { throw failure("make the folder", made) }
        }
        guard chmod(path, mode) == 0 else { throw failure("set the mode of", path) }
    }

    /// Writes a whole file, so that a reader sees the old one or the new one.
    static func write(_ text: String, to path: String, mode: mode_t) throws(DemoError) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure("write", temporary) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                let error = failure("write", temporary)
                close(descriptor)
                throw error
            }
        }
        // The umask may have taken bits from it.
        fchmod(descriptor, mode)
        close(descriptor)
        guard rename(temporary, path) == 0 else { throw failure("write", path) }
    }

    /// The last bytes of a file; empty where it cannot be read.
    static func tail(_ path: String, bytes limit: Int = 65_536) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        lseek(descriptor, max(0, size - limit), SEEK_SET)
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while content.count < limit {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            content += buffer[..<count]
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Removes a file or folder with all below it.
    ///
    /// Links are removed, not followed. What is not there is fine.
    static func remove(_ path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// The names in a folder, without `.` and `..`.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func failure(_ what: String, _ path: String) -> DemoError {
        DemoError(.fileFailed, "cannot \(what) \(path): \(String(cString: strerror(errno)))")
    }
}
