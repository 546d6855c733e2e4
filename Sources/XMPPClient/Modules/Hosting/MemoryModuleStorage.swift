import XMPPTransport

/// An area in memory, for tests and for programs that keep nothing.
package final class MemoryModuleStorage: ModuleStorageBackend {
    private let values = Locked<[[UInt8]: [UInt8]]>([:])

    package init() {}

    package func value(of key: String) async throws(ModuleStorageError) -> [UInt8]? {
        values.withLock { $0[Array(key.utf8)] }
    }

    package func set(_ value: [UInt8], of key: String) async throws(ModuleStorageError) {
        try values.withLock { values throws(ModuleStorageError) in
            var others = values
            others[Array(key.utf8)] = nil
            let size = others.reduce(0) { $0 + $1.key.count + $1.value.count } + key.utf8.count + value.count
            guard others.count < ModuleStorage.countLimit, size <= ModuleStorage.sizeLimit else { throw .isFull }
            values[Array(key.utf8)] = value
        }
    }

    package func remove(_ key: String) async throws(ModuleStorageError) {
        values.withLock { $0[Array(key.utf8)] = nil }
    }

    package func keys() async throws(ModuleStorageError) -> [String] {
        values.withLock { Array($0.keys) }.sorted { $0.lexicographicallyPrecedes($1) }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

extension ModuleStorageError {
    /// There is no room.
    package static let isFull = ModuleStorageError(
        .full,
        "the area is full: \(ModuleStorage.countLimit) values and \(ModuleStorage.sizeLimit) bytes are the most")
}
