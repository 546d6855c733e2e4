import COpenSSL

/// OpenSSL's I/O functions over a `TLSEngine`.
///
/// Global functions: closure literals would inherit the isolation of their place.
enum LoopBIO {
    /// The table is filled once and only read afterwards.
    nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "loop") else { return nil }
        BIO_meth_set_read_ex(method, bioRead)
        BIO_meth_set_write_ex(method, bioWrite)
        BIO_meth_set_ctrl(method, bioControl)
        BIO_meth_set_create(method, bioCreate)
        return method
    }()
}

private func engine(of bio: OpaquePointer?) -> TLSEngine? {
    BIO_get_data(bio).map { Unmanaged<TLSEngine>.fromOpaque($0).takeUnretainedValue() }
}

private func bioRead(
    _ bio: OpaquePointer?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
    shim_bio_clear_retry(bio)
    guard let engine = engine(of: bio), let buffer, let count else { return 0 }
    let transfer = engine.takeInput(UnsafeMutableRawBufferPointer(start: buffer, count: size))
    return report(transfer, count) { shim_bio_retry_read(bio) }
}

private func bioWrite(
    _ bio: OpaquePointer?,
    _ bytes: UnsafePointer<CChar>?,
    _ size: Int,
    _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
    shim_bio_clear_retry(bio)
    guard let engine = engine(of: bio), let bytes, let count else { return 0 }
    let transfer = engine.send(UnsafeRawBufferPointer(start: bytes, count: size))
    return report(transfer, count) { shim_bio_retry_write(bio) }
}

/// Says to OpenSSL what came of a transfer (BIO_meth_new(3)).
private func report(_ transfer: TLSEngine.Transfer, _ count: UnsafeMutablePointer<Int>, retry: () -> Void) -> Int32 {
    switch transfer {
    case .count(let done):
        count.pointee = done
        return 1
    case .again:
        retry()
        return 0
    case .failed: return 0
    }
}

private func bioControl(
    _ bio: OpaquePointer?,
    _ command: Int32,
    _ number: Int,
    _ pointer: UnsafeMutableRawPointer?
) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}

private func bioCreate(_ bio: OpaquePointer?) -> Int32 {
    BIO_set_init(bio, 1)
    return 1
}
