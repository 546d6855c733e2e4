/// Bytes that wait to be sent.
struct OutputBuffer {
    private var bytes: [UInt8] = []
    private var sent = 0

    var count: Int { bytes.count - sent }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ more: [UInt8]) {
        if isEmpty {
            // Shares the storage: most output is one array, sent whole.
            bytes = more
            sent = 0
        } else {
            bytes.append(contentsOf: more)
        }
    }

    /// Calls `body` with what is unsent.
    func withUnsent<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
    }

    mutating func drop(_ count: Int) {
        sent = min(sent + count, bytes.count)
        if sent == bytes.count {
            // Frees the storage: an idle connection keeps none.
            bytes = []
            sent = 0
        } else if sent >= 1 << 20 {
            bytes.removeFirst(sent)
            sent = 0
        }
    }

    mutating func removeAll() {
        bytes = []
        sent = 0
    }
}
