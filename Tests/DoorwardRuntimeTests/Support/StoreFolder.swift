import DoorwardStore
import Foundation

/// A folder for stores on disk, which is removed when the test is over.
final class StoreFolder: Sendable {
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/doorward-runtime-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func store(_ name: String) throws -> Store { try Store(path: file(name)) }

    /// Copies a store as a process that is killed just now leaves it: the file and its log, not the shared memory.
    func copy(_ name: String, to copy: String) {
        for suffix in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: file(copy) + suffix)
            try? FileManager.default.copyItem(atPath: file(name) + suffix, toPath: file(copy) + suffix)
        }
    }
}
