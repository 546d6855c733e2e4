import Foundation
import XMPPClient

/// What the logins of an account leave, in a file that only its user may read.
struct MemoryFile: Sendable {
    var path: String

    /// Nil before the first login.
    func load() throws -> Client.Memory? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return try JSONDecoder().decode(Client.Memory.self, from: data)
    }

    /// The old one stays until the new one is whole, and on the disk.
    func save(_ memory: Client.Memory) throws {
        let descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        // Not closed by the handle: it traps where a signal interrupts that.
        defer { close(descriptor) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        try file.write(contentsOf: JSONEncoder().encode(memory))
        try file.synchronize()
        guard rename(path + ".new", path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
