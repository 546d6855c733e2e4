import Glibc
import XMPPTransport

/// Does something that is cleaned up behind, also where Ctrl-C ends it, and complains about what it throws.
///
/// - Parameter body: Whether all is as it should be.
/// - Returns: The status to exit with.
func cleaningUp(_ body: (Cleanup) throws(BenchError) -> Bool) -> Int32 {
    let cleanup = Cleanup()
    defer { cleanup.run() }
    do {
        let loop = try EventLoop(name: "signals")
        loop.start()
        let interrupts = try SignalSource([SIGINT, SIGTERM], on: loop) { _ in
            cleanup.run()
            exit(1)
        }
        defer { interrupts.close() }
        return try body(cleanup) ? 0 : 1
    } catch {
        complain(String(describing: error))
        return 1
    }
}

/// As many descriptors as the system allows, for the children too.
func raiseDescriptorLimit() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
}
