import CCAres
import CShims
import Glibc

/// One loop's way to the name servers: a channel of c-ares whose sockets and timeouts the loop drives.
///
/// Alive for as long as someone holds it or an answer is out.
final class DNSChannel: @unchecked Sendable {
    // Unchecked because everything is touched on `loop` only, which is checked.

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

    /// After this the system's configuration is read again.
    private static let lifetime: Duration = .seconds(60)

    private let loop: EventLoop
    private let opened: AresChannel
    private let channel: ares_channel
    private let made: Duration
    private var timer: TimerID?
    private var hasFailed = false

    /// Makes a channel off the loop, since the system's configuration is read from files, and hands it over on the loop, in a
    /// turn of its own.
    ///
    /// - Parameters:
    ///   - loop: whose it is.
    ///   - servers: instead of the system's.
    ///   - patience: how long one name server is waited for at first; at most an hour.
    ///   - handler: gets it, or `.dnsFailed`.
    static func make(
        on loop: EventLoop, servers: [SocketAddress]?, patience: Duration,
        then handler: @escaping @Sendable (Result<DNSChannel, TransportError>) -> Void
    ) {
        loop.checkIsolated()
        let opened = AresChannel(on: loop)
        BlockingPool.submit {
            let result = Result { () throws(TransportError) in try opened.open(patience: patience) }
            loop.execute {
                handler(
                    Result { () throws(TransportError) in
                        try result.get()
                        return try DNSChannel(opened, on: loop, servers: servers)
                    })
            }
        }
    }

    private init(_ opened: AresChannel, on loop: EventLoop, servers: [SocketAddress]?) throws(TransportError) {
        guard let channel = opened.pointer else { throw TransportError(.dnsFailed, "the system's resolver") }
        self.loop = loop
        self.opened = opened
        self.channel = channel
        self.made = loop.time.now
        if let servers {
            let text = servers.map(\.description).joined(separator: ",")
            guard ares_set_servers_ports_csv(channel, text) == ARES_SUCCESS else {
                throw TransportError(.dnsFailed, "these are no name servers: \(text)")
            }
        }
        opened.sockets.ready = { [weak self] descriptor, events in self?.process(descriptor, events) }
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
