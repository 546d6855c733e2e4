import CShims
import Glibc

/// The way from a server's address to a connected socket: look-ups on the blocking pool, then each address in turn.
///
/// Lives on its loop; ends by one call of `channel.finishConnecting` or by `cancel()`.
final class ConnectAttempt: @unchecked Sendable {
    // Unchecked because: every variable is touched on the loop only; look-ups get copies.

    private struct Target {
        let host: String
        let port: UInt16
    }

    /// Addresses tried for one host.
    private static let addressLimit = 8

    private let loop: EventLoop
    private let channel: SocketChannel
    private let address: ServerAddress
    private let resolver: any Resolving
    private var generator: any RandomNumberGenerator

    private var targets: ArraySlice<Target> = []
    private var addresses: ArraySlice<SocketAddress> = []
    private var lastError: TransportError?
    private var descriptor: Int32 = -1
    private var registration: Registration?
    private var timer: TimerID?
    private var budget: TimerID?
    private var isDone = false
    /// The same for the look-ups, which wait for their turn off the loop.
    private let isOver = Locked(false)

    init(
        _ channel: SocketChannel,
        address: ServerAddress,
        resolver: any Resolving,
        generator: any RandomNumberGenerator
    ) {
        self.channel = channel
        self.loop = channel.loop
        self.address = address
        self.resolver = resolver
        self.generator = generator
    }

    func start() {
        budget = loop.schedule(after: ChannelLimits.connecting) { [self] in
            fail(lastError ?? TransportError(.timedOut, "no connection within \(ChannelLimits.connecting)"))
        }
        switch address {
        case .host(let host, let port, _):
            targets = [Target(host: host, port: port)]
            nextTarget()
        case .domain(let domain) where SocketAddress(domain, port: 5222) != nil:
            targets = [Target(host: domain, port: 5222)]
            nextTarget()
        case .domain(let domain):
            lookUp {
                $0.services(of: domain)
            } then: { attempt, answer in
                attempt.use(answer, of: domain)
            }
        }
    }

    /// Ends without a word to the channel.
    func cancel() {
        isDone = true
        isOver.withLock { $0 = true }
        dropSocket()
        budget.map(loop.cancel)
        budget = nil
    }

    // MARK: - Names

    private func use(_ answer: ServiceAnswer, of domain: String) {
        switch answer {
        case .none:
            // RFC 6120 3.2.2: the fallback is for domains without records only.
            targets = [Target(host: domain, port: 5222)]
        case .records(let records):
            guard !ServiceOrder.isNotOffered(records) else {
                fail(
                    TransportError(.serviceNotOffered, "\(domain) says in DNS that it has no XMPP service for clients")
                )
                return
            }
            let ordered = ServiceOrder.ordered(records, using: &generator)
            targets = ordered.filter { !$0.target.isEmpty }.map { Target(host: $0.target, port: $0.port) }[...]
        }
        nextTarget()
    }

    private func nextTarget() {
        guard !isDone else { return }
        guard let target = targets.popFirst() else {
            fail(lastError ?? TransportError(.connectFailed, "no address"))
            return
        }
        if let numeric = SocketAddress(target.host, port: target.port) {
            addresses = [numeric]
            nextAddress()
            return
        }
        lookUp { resolver in
            Result { () throws(TransportError) in try resolver.addresses(of: target.host, port: target.port) }
        } then: { attempt, result in
            switch result {
            case .success(let found):
                attempt.addresses = found.prefix(Self.addressLimit)
                attempt.nextAddress()
            case .failure(let error):
                attempt.lastError = error
                attempt.nextTarget()
            }
        }
    }

    private func lookUp<T: Sendable>(
        _ work: @escaping @Sendable (any Resolving) -> T,
        then use: @escaping @Sendable (ConnectAttempt, T) -> Void
    ) {
        let (resolver, loop, isOver) = (resolver, loop, isOver)
        BlockingPool.lookUp {
            // Others wait for their turn behind it.
            guard !isOver.withLock({ $0 }) else { return }
            let result = work(resolver)
            loop.execute {
                guard !self.isDone else { return }
                use(self, result)
            }
        }
    }

    // MARK: - Addresses

    private func nextAddress() {
        guard !isDone else { return }
        guard let address = addresses.popFirst() else {
            nextTarget()
            return
        }
        descriptor = shim_socket(address.family)
        guard descriptor >= 0 else {
            tryNext(after: TransportError(.connectFailed, "\(address)", errno: errno))
            return
        }
        shim_tune_tcp(descriptor, ChannelLimits.userTimeoutMilliseconds)
        let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            tryNext(after: TransportError(.connectFailed, "\(address)", errno: errno))
            return
        }
        do throws(TransportError) {
            registration = try loop.register(descriptor, events: Readiness.writable) { [self] _ in settled(address) }
        } catch {
            tryNext(after: error)
            return
        }
        timer = loop.schedule(after: ChannelLimits.connectingToOneAddress) { [self] in
            tryNext(after: TransportError(.timedOut, "\(address) did not answer"))
        }
    }

    private func settled(_ address: SocketAddress) {
        let error = shim_socket_error(descriptor)
        guard error == 0 else {
            tryNext(after: TransportError(.connectFailed, "\(address)", errno: error))
            return
        }
        let connected = descriptor
        descriptor = -1
        cancel()
        channel.finishConnecting(.success(connected))
    }

    private func tryNext(after error: TransportError) {
        guard !isDone else { return }
        lastError = error
        dropSocket()
        // In a turn of its own: a list of addresses that fail at once must not be one long turn.
        loop.execute { [self] in nextAddress() }
    }

    private func dropSocket() {
        timer.map(loop.cancel)
        timer = nil
        registration.map(loop.unregister)
        registration = nil
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private func fail(_ error: TransportError) {
        guard !isDone else { return }
        cancel()
        channel.finishConnecting(.failure(error))
    }
}
