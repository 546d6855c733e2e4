import CShims

/// The events of a descriptor, as epoll's bits.
enum Readiness {
    static let readable = UInt32(SHIM_READABLE)
    static let writable = UInt32(SHIM_WRITABLE)
    /// An error or the end of both directions: always reported, also when not asked for.
    static let broken = UInt32(SHIM_ERROR) | UInt32(SHIM_HANGUP)
}
