import Glibc

/// Reads a password from where the configuration says it is.
package enum SecretReader {
    /// A password has at most so many bytes, with what follows it in its file.
    static let limit = 4_096

    /// The secret's bytes: the first line, without its end.
    ///
    /// It may wait for a program (10 seconds at most), so it belongs off the event loops.
    package static func read(_ source: SecretSource) throws(SecretError) -> [UInt8] {
        switch source {
        case .file(let path): return try file(path, refusingOthers: true)
        case .environment(let name):
            guard let value = getenv(name) else {
                throw SecretError(.missing, "the variable \(name) is not set; set it before the start")
            }
            return try firstLine(
                Array(UnsafeRawBufferPointer(start: value, count: strlen(value))),
                of: "the variable \(name)"
            )
        case .credential(let name):
            guard let folder = getenv("CREDENTIALS_DIRECTORY") else {
                throw SecretError(
                    .missing,
                    "there are no systemd credentials; add LoadCredential=\(name):PATH to the unit, or start it by systemd"
                )
            }
            // systemd makes the folder private and shows its access list as the group's bits.
            return try file(FilePath.join(String(cString: folder), name), refusingOthers: false)
        case .command(let words):
            let name = words.first ?? ""
            return try firstLine(try SecretCommand.output(words), of: "the output of \(name)")
        }
    }

    private static func file(_ path: String, refusingOthers: Bool) throws(SecretError) -> [UInt8] {
        // O_NONBLOCK: a pipe in the place of the file must not hold up the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(errno, path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SecretError(.notRegular, "the password file \(path) is no regular file; put the password into a file")
        }
        guard !refusingOthers || status.st_mode & 0o077 == 0 else {
            throw SecretError(.openToOthers, "others can read the password file: chmod 600 \(path)")
        }
        do {
            return try firstLine(try FileLoading.bytes(from: descriptor, limit: limit), of: "the password file \(path)")
        } catch let error as SecretError {
            throw error
        } catch FileLoading.Failure.tooLarge {
            throw SecretError(.tooLong, "the password file \(path) has more than \(limit) bytes")
        } catch {
            throw SecretError(.unreadable, "the password file \(path) cannot be read")
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> SecretError {
        switch code {
        case ENOENT, ENOTDIR:
            SecretError(.missing, "the password file \(path) is missing; write the password into it and chmod 600 it")
        case ELOOP: SecretError(.notRegular, "the password file \(path) is a symbolic link; name the file itself")
        default:
            SecretError(.unreadable, "the password file \(path) cannot be read: \(SystemError.words(code))")
        }
    }

    private static func firstLine(_ bytes: [UInt8], of what: String) throws(SecretError) -> [UInt8] {
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard !line.isEmpty else {
            throw SecretError(.empty, "\(what) begins with an empty line; write the password there")
        }
        return Array(line)
    }
}
