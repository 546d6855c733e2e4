import Glibc

/// Reads a password from where the configuration says it is.
package enum SecretReader {
    /// A password has at most so many bytes, with what follows it in its file.
    static let limit = 4_096

    /// Ends every password command that runs, and lets none begin: at the end of the process.
    package static func endCommands() {
        SecretCommand.running.endAll()
    }

    /// The secret's bytes: the first line, without its end.
    ///
    /// It may wait for a program (5 seconds at most), so it belongs off the event loops.
    package static func read(_ source: SecretSource) throws(SecretError) -> [UInt8] {
        switch source {
        case .file(let path): return try file(path, .file(path))
        case .environment(let name):
            guard let value = getenv(name) else {
                throw SecretError(.missing, "the variable \(name) is not set; set it before the start")
            }
            let bytes = Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
            return try firstLine(bytes, .variable(name))
        case .credential(let name):
            guard let folder = getenv("CREDENTIALS_DIRECTORY") else {
                throw SecretError(
                    .missing,
                    "there are no systemd credentials; add LoadCredential=\(name):PATH to the unit, or start it by systemd"
                )
            }
            return try file(FilePath.join(String(cString: folder), name), .credential(name))
        case .command(let words): return try firstLine(try SecretCommand.output(words), .command(words.first ?? ""))
        }
    }

    /// Refuses the key of a certificate that others can read.
    package static func checkKey(_ path: String) throws(SecretError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw SecretError(.missing, "the key \(path) cannot be read: \(SystemError.words(errno))")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw SecretError(.openToOthers, "others can read the key of the certificate: chmod 600 \(path)")
        }
    }

    private static func file(_ path: String, _ origin: SecretOrigin) throws(SecretError) -> [UInt8] {
        // O_NONBLOCK: a pipe in the place of the file must not hold up the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw origin.failure(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw origin.failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SecretError(.notRegular, "\(origin.words) is no regular file; \(origin.mend)")
        }
        guard !origin.refusesOthers || status.st_mode & 0o077 == 0 else {
            throw SecretError(.openToOthers, "others can read the password file: chmod 600 \(path)")
        }
        let bytes: [UInt8]
        do throws(FileLoading.Failure) {
            bytes = try FileLoading.bytes(from: descriptor, limit: limit)
        } catch {
            guard case .tooLarge = error else {
                throw SecretError(.unreadable, "\(origin.words) cannot be read: \(error.words)")
            }
            throw origin.tooLong
        }
        return try firstLine(bytes, origin)
    }

    private static func firstLine(_ bytes: [UInt8], _ origin: SecretOrigin) throws(SecretError) -> [UInt8] {
        guard bytes.count <= limit else { throw origin.tooLong }
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard !line.isEmpty else {
            throw SecretError(.empty, "\(origin.words) has nothing in its first line; \(origin.mend)")
        }
        return Array(line)
    }
}
