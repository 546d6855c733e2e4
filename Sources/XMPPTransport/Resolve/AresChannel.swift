import CCAres
import CShims
import Glibc

/// What c-ares has of one channel.
///
/// Opening it reads files of the system (/etc/resolv.conf and others), so that is done off the loop; all else is the loop's.
final class AresChannel: @unchecked Sendable {
    // Unchecked because it is opened before anybody else has it, and touched on its loop only after that, but for `deinit`,
    // which may run anywhere once nobody else has it.

    private static let tries: Int32 = 2
    /// What EDNS says that we take by UDP: no fragments on any path (DNS flag day 2020).
    private static let udpBytes: Int32 = 1232

    let sockets: DNSSockets
    /// Nil before it is open.
    private(set) var pointer: ares_channel?

    init(on loop: EventLoop) {
        sockets = DNSSockets(on: loop)
    }

    deinit {
        sockets.close()
        if let pointer { ares_destroy(pointer) }
    }

    /// Reads the system's configuration; blocking.
    ///
    /// - Parameter patience: see `DNSChannel.make`.
    /// - Throws: `.dnsFailed`.
    func open(patience: Duration) throws(TransportError) {
        try Self.startLibrary()
        var options = ares_options()
        // Aliases of the environment are nobody's business; /etc/hosts was looked at before.
        options.flags = ARES_FLAG_NOALIASES | ARES_FLAG_EDNS
        options.timeout = Int32(min(max(patience, .milliseconds(1)), .seconds(3600)) / .milliseconds(1))
        options.tries = Self.tries
        options.ednspsz = Self.udpBytes
        options.sock_state_cb = dnsSocketChanged
        // It lives as long as the channel, which is destroyed before it.
        options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
        let mask =
            ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_EDNSPSZ | ARES_OPT_SOCK_STATE_CB
            | ARES_OPT_LOOKUPS
        let status = "b".withCString { lookups in
            // Copied by c-ares.
            options.lookups = UnsafeMutablePointer(mutating: lookups)
            return ares_init_options(&pointer, &options, mask)
        }
        guard status == ARES_SUCCESS, let pointer else {
            throw TransportError(.dnsFailed, "the system's resolver: \(String(cString: ares_strerror(status)))")
        }
        ares_set_socket_functions(pointer, DNSSockets.functions, nil)
    }

    private static let libraryStatus = ares_library_init(ARES_LIB_INIT_ALL)

    private static func startLibrary() throws(TransportError) {
        // Once in the process: it is not safe for threads.
        guard libraryStatus == ARES_SUCCESS else {
            throw TransportError(.dnsFailed, "c-ares: \(String(cString: ares_strerror(libraryStatus)))")
        }
    }
}
