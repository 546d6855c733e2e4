import FoundationEssentials

/// What a module keeps over restarts, for one account: values by keys.
///
/// Each account and each module has an area of its own. What a call has returned from is kept, in the product on disk. Keys
/// have 1 to 2,560 bytes, room for any address, and are compared byte by byte, a value has at most 64 KiB; an area holds at most 10,000 values and
/// 4 MiB. What does not fit is refused, and nothing gives way for it.
public struct ModuleStorage: Sendable {
    /// The most bytes of a key.
    public static let keyLimit = 2_560
    /// The most bytes of a value.
    public static let valueLimit = 65_536
    /// The most values of an area.
    public static let countLimit = 10_000
    /// The most bytes of an area, keys and values together.
    public static let sizeLimit = 4 * 1_048_576

    let backend: any ModuleStorageBackend

    /// The bytes under a key; nil where there are none.
    public func bytes(for key: String) async throws(ModuleStorageError) -> [UInt8]? {
        try check(key)
        return try await backend.value(of: key)
    }

    /// Keeps bytes under a key, instead of what was there.
    public func set(_ bytes: [UInt8], for key: String) async throws(ModuleStorageError) {
        try check(key)
        guard bytes.count <= Self.valueLimit else {
            throw ModuleStorageError(.tooLarge, "a value has at most \(Self.valueLimit) bytes, this one \(bytes.count)")
        }
        try await backend.set(bytes, of: key)
    }

    /// Forgets what is under a key, if anything is.
    public func remove(_ key: String) async throws(ModuleStorageError) {
        try check(key)
        try await backend.remove(key)
    }

    /// The keys, in the order of their bytes.
    public func keys() async throws(ModuleStorageError) -> [String] { try await backend.keys() }

    /// The value under a key; nil where there is none.
    ///
    /// - Throws: `undecodable` where it is none of that type.
    public func value<Value: Decodable>(
        _ type: Value.Type = Value.self, for key: String
    ) async throws(ModuleStorageError) -> Value? {
        guard let bytes = try await bytes(for: key) else { return nil }
        do { return try JSONDecoder().decode(Value.self, from: Data(bytes)) } catch {
            throw ModuleStorageError(.undecodable, "what is kept under '\(key)' is no \(Value.self)")
        }
    }

    /// Keeps a value under a key, instead of what was there.
    public func set(_ value: some Encodable, for key: String) async throws(ModuleStorageError) {
        let data: Data
        do { data = try JSONEncoder().encode(value) } catch {
            throw ModuleStorageError(.undecodable, "the value for '\(key)' cannot be written")
        }
        try await set([UInt8](data), for: key)
    }

    private func check(_ key: String) throws(ModuleStorageError) {
        guard !key.isEmpty, key.utf8.count <= Self.keyLimit else {
            throw ModuleStorageError(.badKey, "a key has 1 to \(Self.keyLimit) bytes")
        }
    }
}

/// Why something could not be kept or read.
public struct ModuleStorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind it is, as an open set: compare with the named values.
    public struct Code: Hashable, Sendable {
        /// Stable, for logs, in snake_case.
        public let name: String

        /// The key is empty or too long.
        public static let badKey = Code(name: "bad_key")
        /// The value is too large.
        public static let tooLarge = Code(name: "too_large")
        /// The area has no room for it.
        public static let full = Code(name: "full")
        /// The value is not of the type that it is read as.
        public static let undecodable = Code(name: "undecodable")
        /// The store failed; its words are in the text.
        public static let failed = Code(name: "failed")
    }

    /// What kind it is.
    public let code: Code
    /// What happened, in one sentence; it holds no value.
    public let text: String

    package init(_ code: Code, _ text: String) { (self.code, self.text) = (code, text) }

    /// The text.
    public var description: String { text }
}

/// Where an area is kept.
package protocol ModuleStorageBackend: Sendable {
    func value(of key: String) async throws(ModuleStorageError) -> [UInt8]?
    /// - Throws: `full` where it would grow over a limit of `ModuleStorage`.
    func set(_ value: [UInt8], of key: String) async throws(ModuleStorageError)
    func remove(_ key: String) async throws(ModuleStorageError)
    func keys() async throws(ModuleStorageError) -> [String]
}
