import COpenSSL

/// Bytes that must not be shown or logged: a password or a key.
///
/// The bytes are wiped when the last copy of the value is gone. Neither printing, `dump` nor a debugger's description
/// shows them.
package struct Secret: Sendable {
    private let storage: Storage

    package init(_ bytes: [UInt8]) {
        storage = Storage(bytes)
    }

    /// The UTF-8 bytes of a text.
    package init(_ text: String) {
        self.init(Array(text.utf8))
    }

    package var isEmpty: Bool { storage.buffer.isEmpty }

    /// A copy of the bytes, which is not wiped: for short use only.
    package var bytes: [UInt8] { Array(storage.buffer) }

    /// Lends the bytes without a copy.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(storage.buffer))
    }

    /// Unchecked: the buffer is written in `init` and in `deinit` only, and the pointer never changes.
    private final class Storage: @unchecked Sendable {
        let buffer: UnsafeMutableRawBufferPointer

        init(_ bytes: [UInt8]) {
            buffer = .allocate(byteCount: bytes.count, alignment: 1)
            buffer.copyBytes(from: bytes)
        }

        deinit {
            if let address = buffer.baseAddress { OPENSSL_cleanse(address, buffer.count) }
            buffer.deallocate()
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
