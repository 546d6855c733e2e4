import CCAres
import CShims
import Glibc

/// One loop's way to the name servers: a channel of c-ares whose sockets and timeouts the loop drives.
///
/// Alive for as long as someone holds it or an answer is out.
final class DNSChannel: @unchecked Sendable {
    // Unchecked because everything is touched on `loop` only, which is checked, but for `deinit`, which may run anywhere
    // once nobody else has it.

    /// The answer, where there is one: NXDOMAIN and no record of the type are `nil`.
    typealias Handler = @Sendable (Result<DNSMessage?, TransportError>) -> Void

    enum Question {
        case addresses(IPFamily)
        case services

        var type: Int32 {
            switch self {
            case .addresses(.v4): 1
            case .addresses(.v6): 28
            case .services: 33
            }
        }
    }

    private static let tries: Int32 = 2
    /// What EDNS says that we take by UDP: no fragments on any path (DNS flag day 2020).
    private static let udpBytes: Int32 = 1232
    /// After this the system's configuration is read again.
    private static let lifetime: Duration = .seconds(60)

    private let loop: EventLoop
    private let channel: ares_channel
    private let sockets: DNSSockets
    private let made: Duration
    private var timer: TimerID?
    private var hasFailed = false

    /// - Parameters:
    ///   - loop: whose it is.
    ///   - servers: instead of the system's.
    ///   - patience: how long one name server is waited for at first; at most an hour.
    /// - Throws: `.dnsFailed`.
    init(on loop: EventLoop, servers: [SocketAddress]?, patience: Duration) throws(TransportError) {
        loop.checkIsolated()
        try Self.startLibrary()
        let sockets = DNSSockets(on: loop)
        var options = ares_options()
        // Aliases of the environment are nobody's business; /etc/hosts was looked at before.
        options.flags = ARES_FLAG_NOALIASES | ARES_FLAG_EDNS
        options.timeout = Int32(min(max(patience, .milliseconds(1)), .seconds(3600)) / .milliseconds(1))
        options.tries = Self.tries
        options.ednspsz = Self.udpBytes
        options.sock_state_cb = dnsSocketChanged
        options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
        let mask =
            ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_EDNSPSZ | ARES_OPT_SOCK_STATE_CB
            | ARES_OPT_LOOKUPS
        var made: ares_channel?
        let status = "b".withCString { lookups in
            // Copied by c-ares.
            options.lookups = UnsafeMutablePointer(mutating: lookups)
            return ares_init_options(&made, &options, mask)
        }
        guard status == ARES_SUCCESS, let channel = made else {
            throw TransportError(.dnsFailed, "the system's resolver: \(String(cString: ares_strerror(status)))")
        }
        self.loop = loop
        self.channel = channel
        self.sockets = sockets
        self.made = loop.time.now
        ares_set_socket_functions(channel, DNSSockets.functions, nil)
        if let servers {
            let text = servers.map(\.description).joined(separator: ",")
            guard ares_set_servers_ports_csv(channel, text) == ARES_SUCCESS else {
                throw TransportError(.dnsFailed, "these are no name servers: \(text)")
            }
        }
        sockets.ready = { [weak self] descriptor, events in self?.process(descriptor, events) }
    }

    deinit {
        sockets.close()
        ares_destroy(channel)
    }

    /// Whether new questions should go here: the configuration may have changed, above all where it did not work.
    var isCurrent: Bool { !hasFailed && loop.time.now - made < Self.lifetime }

    /// Asks for the records of a name; the answer comes in a turn of its own, always.
    ///
    /// Where it `searches`, a name without a dot is looked for in the local domains that resolv.conf lists.
    func ask(_ question: Question, _ name: String, searches: Bool, then handler: @escaping Handler) {
        loop.checkIsolated()
        guard !name.isEmpty, !name.utf8.contains(0) else {
            loop.execute { handler(.failure(TransportError(.dnsFailed, "no name to look up"))) }
            return
        }
        let asked = AskedQuestion(name: name, loop: loop) { [weak self] result in
            if case .failure = result { self?.hasFailed = true }
            handler(result)
        }
        let argument = Unmanaged.passRetained(asked).toOpaque()
        if searches && !name.utf8.contains(UInt8(ascii: ".")) {
            ares_search(channel, name, 1, question.type, dnsAnswered, argument)
        } else {
            ares_query(channel, name, 1, question.type, dnsAnswered, argument)
        }
        schedule()
    }

    private func process(_ descriptor: Int32, _ events: UInt32) {
        let isBroken = events & Readiness.broken != 0
        let isReadable = isBroken || events & Readiness.readable != 0
        let isWritable = isBroken || events & Readiness.writable != 0
        ares_process_fd(
            channel, isReadable ? descriptor : ARES_SOCKET_BAD, isWritable ? descriptor : ARES_SOCKET_BAD)
        schedule()
    }

    /// Sets the timer to the next timeout of c-ares, which holds this channel until then.
    private func schedule() {
        timer.map(loop.cancel)
        timer = nil
        let milliseconds: Int64? = withUnsafeTemporaryAllocation(of: timeval.self, capacity: 1) { wait in
            ares_timeout(channel, nil, wait.baseAddress) == nil ? nil : shim_milliseconds(wait.baseAddress)
        }
        guard let milliseconds else { return }
        // Rounded up: c-ares would find that it is not yet time.
        timer = loop.schedule(after: .milliseconds(milliseconds + 1)) { [self] in
            timer = nil
            ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD)
            schedule()
        }
    }

    private static let libraryStatus = ares_library_init(ARES_LIB_INIT_ALL)

    private static func startLibrary() throws(TransportError) {
        // Once in the process: it is not safe for threads.
        guard libraryStatus == ARES_SUCCESS else {
            throw TransportError(.dnsFailed, "c-ares: \(String(cString: ares_strerror(libraryStatus)))")
        }
    }
}

/// A question that c-ares has; it gives it back with the answer, or when the channel goes.
private final class AskedQuestion: Sendable {
    private let name: String
    private let loop: EventLoop
    private let handler: DNSChannel.Handler

    init(name: String, loop: EventLoop, handler: @escaping DNSChannel.Handler) {
        self.name = name
        self.loop = loop
        self.handler = handler
    }

    func finish(_ status: Int32, _ answer: UnsafeRawBufferPointer) {
        let result: Result<DNSMessage?, TransportError>
        switch status {
        case ARES_SUCCESS:
            result = Result { () throws(TransportError) in try read(answer) }
        case ARES_ENODATA, ARES_ENOTFOUND:
            result = .success(nil)
        case ARES_EDESTRUCTION, ARES_ECANCELLED:
            // The loop has ended, or nobody waits.
            return
        default:
            result = .failure(TransportError(.dnsFailed, "\(name): \(String(cString: ares_strerror(status)))"))
        }
        let handler = handler
        loop.execute { handler(result) }
    }

    private func read(_ answer: UnsafeRawBufferPointer) throws(TransportError) -> DNSMessage {
        do {
            return try DNSMessage(Array(answer))
        } catch {
            throw TransportError(.dnsFailed, "\(name): the name server's answer cannot be read")
        }
    }
}

/// c-ares hands an answer over; may be called within `ares_query` too.
private func dnsAnswered(
    _ argument: UnsafeMutableRawPointer?, _ status: Int32, _ timeouts: Int32, _ bytes: UnsafeMutablePointer<UInt8>?,
    _ count: Int32
) {
    guard let argument else { return }
    let asked = Unmanaged<AskedQuestion>.fromOpaque(argument).takeRetainedValue()
    asked.finish(status, UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : max(0, Int(count))))
}
