import Glibc

/// Reads whole files, within a bound.
package enum FileLoading {
    /// Why a file was not read.
    package enum Failure: Error {
        case system(Int32)
        case notRegular
        case tooLarge(limit: Int)

        package var words: String {
            switch self {
            case .system(let code): SystemError.words(code)
            case .notRegular: "it is no regular file"
            case .tooLarge(let limit): "it has more than \(limit) bytes"
            }
        }
    }

    /// Reads a regular file.
    package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        // O_NONBLOCK: a pipe in the place of a file must not hold up the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
        return try bytes(from: descriptor, limit: limit)
    }

    /// Reads a descriptor to its end.
    static func bytes(from descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(errno)
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            if bytes.count > limit { throw .tooLarge(limit: limit) }
        }
    }
}

enum SystemError {
    /// What the system says of an error, in words.
    static func words(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
