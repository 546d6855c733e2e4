import CShims
import Glibc

/// The way from a server's address to a connected socket: look-ups, sockets and timers for what `ServiceSearch` and
/// `ConnectRace` decide.
///
/// Lives on its loop, until the channel is up or `cancel()`.
final class ConnectAttempt: @unchecked Sendable {
    // Unchecked because every variable is touched on the loop only.

    private struct Socket {
        let descriptor: Int32
        let registration: Registration
        let limit: TimerID
    }

    private let loop: EventLoop
    private let channel: SocketChannel
    private let address: ServerAddress
    private let security: TLSSettings?
    private let resolver: any Resolving
    private var generator: any RandomNumberGenerator

    private var search: ServiceSearch?
    private var race: ConnectRace?
    private var lookUps: [any PendingLookUp] = []
    private var sockets: [ConnectRace.AttemptID: Socket] = [:]
    private var timers: [ConnectRace.Timer: TimerID] = [:]
    private var serviceTimer: TimerID?
    private var budget: TimerID?
    private var isDone = false

    /// Targets where TLS begins with the connection are passed over without `security`.
    init(
        _ channel: SocketChannel,
        address: ServerAddress,
        security: TLSSettings?,
        resolver: any Resolving,
        generator: any RandomNumberGenerator
    ) {
        self.channel = channel
        self.loop = channel.loop
        self.address = address
        self.security = security
        self.resolver = resolver
        self.generator = generator
    }

    func start() {
        startBudget(until: loop.time.now + ChannelLimits.connecting)
        switch address {
        case .host(_, _, isDirectTLS: true) where security == nil,
            .services(_, isDirectTLS: true) where security == nil:
            fail(TransportError(.connectFailed, "TLS from the first byte is configured, and no settings for it"))
        case .host(let host, let port, let isDirectTLS):
            begin([[ConnectStep.Target(host: host, port: port, isDirectTLS: isDirectTLS)]])
        case .domain(let domain):
            findServices(of: domain, security == nil ? [.startTLS] : ServiceKind.allCases)
        case .services(let domain, let isDirectTLS):
            findServices(of: domain, [isDirectTLS ? .directTLS : .startTLS])
        }
    }

    private func startBudget(until due: Duration) {
        let before = channel.timeInQueue
        budget = loop.schedule(after: max(.zero, due - loop.time.now)) { [self] in
            // What handshakes of direct TLS waited for each other was nobody's delay.
            let later = due + channel.timeInQueue - before
            guard later <= loop.time.now else { return startBudget(until: later) }
            let late = TransportError(.timedOut, "no connection within \(ChannelLimits.connecting)")
            fail(race?.error ?? late)
        }
    }

    /// A domain may be an address, of IPv6 in brackets (RFC 7622 3.2).
    private static func address(_ domain: String) -> IPAddress? {
        let bytes = domain.utf8
        guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else { return IPAddress(domain) }
        return IPAddress(String(domain.dropFirst().dropLast()))
    }

    /// Ends without a word to the channel.
    func cancel() {
        isDone = true
        endLookUps()
        for id in Array(sockets.keys) { drop(id) }
        for timer in timers.values { loop.cancel(timer) }
        timers = [:]
        serviceTimer.map(loop.cancel)
        budget.map(loop.cancel)
    }

    /// The TLS of the target that had won failed; its socket is closed.
    func handshakeFailed(_ error: TransportError) {
        handle(.handshakeFailed(error))
    }

    // MARK: - Services

    private func findServices(of domain: String, _ kinds: [ServiceKind]) {
        if let address = Self.address(domain), kinds.contains(.startTLS) {
            begin([[ConnectStep.Target(host: address.description, port: 5222, isDirectTLS: false)]])
            return
        }
        search = ServiceSearch(domain: domain, kinds: kinds)
        lookUps = kinds.map { kind in
            resolver.services(named: kind.name(of: domain), on: loop) { [self] answer in
                note(answer, kind, of: domain)
            }
        }
    }

    private func note(_ answer: Result<[ServiceRecord], TransportError>, _ kind: ServiceKind, of domain: String) {
        guard !isDone else { return }
        if case .failure(let error) = answer { report(.unresolved(name: kind.name(of: domain), error)) }
        search?.answered(kind, answer)
        decide(domain)
    }

    private func decide(_ domain: String) {
        guard !isDone, let search else { return }
        switch search.outcome(using: &generator) {
        case .waiting:
            guard search.hasTargetsToTry, serviceTimer == nil else { return }
            serviceTimer = loop.schedule(after: ChannelLimits.otherService) { [self] in stopWaiting(domain) }
        case .targets(let groups):
            report(.found(groups.flatMap { $0 }))
            begin(groups)
        case .fallback:
            if case .services(_, isDirectTLS: true) = address {
                // The domain's own address is no way: its port 5222 begins in clear.
                let none = TransportError(
                    .serviceNotOffered, "\(domain) names no server in DNS whose TLS begins at once (_xmpps-client)")
                fail(search.failure ?? none)
                return
            }
            report(.found([]))
            begin([[ConnectStep.Target(host: domain, port: 5222, isDirectTLS: false)]])
        case .failed(let error):
            fail(error)
        }
    }

    private func stopWaiting(_ domain: String) {
        for kind in search?.giveUpWaiting() ?? [] {
            let name = kind.name(of: domain)
            report(.unresolved(name: name, TransportError(.dnsFailed, "\(name): no answer so far")))
        }
        decide(domain)
    }

    // MARK: - The race

    private func begin(_ groups: [[ConnectStep.Target]]) {
        guard !isDone else { return }
        endLookUps()
        search = nil
        serviceTimer.map(loop.cancel)
        race = ConnectRace(groups)
        handle(.started)
    }

    private func handle(_ event: ConnectRace.Event) {
        guard !isDone, let actions = race?.handle(event) else { return }
        for action in actions {
            // A step's observer may have closed the channel.
            guard !isDone else { return }
            perform(action)
        }
    }

    private func perform(_ action: ConnectRace.Action) {
        switch action {
        case .lookUp(let target, let host):
            lookUps += IPFamily.allCases.map { family in
                resolver.addresses(of: host, family: family, on: loop) { [self] answer in
                    handle(.answered(target: target, family, answer))
                }
            }
        case .endLookUps: endLookUps()
        case .startTimer(let timer):
            let delay =
                switch timer {
                case .resolution: ChannelLimits.resolutionDelay
                case .attempt: ChannelLimits.attemptDelay
                }
            timers[timer] = loop.schedule(after: delay) { [self] in
                timers[timer] = nil
                handle(.timerFired(timer))
            }
        case .stopTimer(let timer): timers.removeValue(forKey: timer).map(loop.cancel)
        case .connect(let id, let address): connect(id, address)
        case .drop(let id): drop(id)
        case .report(let step): report(step)
        case .use(let id, let target): use(id, target)
        case .fail(let error): fail(error)
        }
    }

    private func endLookUps() {
        for lookUp in lookUps { lookUp.cancel() }
        lookUps = []
    }

    private func report(_ step: ConnectStep) {
        guard !isDone else { return }
        channel.deliver(.attempted(step))
    }

    private func fail(_ error: TransportError) {
        guard !isDone else { return }
        cancel()
        channel.failConnecting(error)
    }

    // MARK: - Sockets

    private func connect(_ id: ConnectRace.AttemptID, _ address: SocketAddress) {
        let descriptor = shim_socket(address.family)
        guard descriptor >= 0 else {
            failSoon(id, TransportError(.connectFailed, "\(address)", errno: errno))
            return
        }
        shim_tune_tcp(descriptor, ChannelLimits.userTimeoutMilliseconds)
        let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            failSoon(id, TransportError(.connectFailed, "\(address)", errno: errno))
            Glibc.close(descriptor)
            return
        }
        do throws(TransportError) {
            let registration = try loop.register(descriptor, events: Readiness.writable) { [self] _ in
                settle(id, address)
            }
            let limit = loop.schedule(after: ChannelLimits.connectingToOneAddress) { [self] in
                drop(id)
                handle(.failed(id, TransportError(.timedOut, "\(address) did not answer")))
            }
            sockets[id] = Socket(descriptor: descriptor, registration: registration, limit: limit)
        } catch {
            Glibc.close(descriptor)
            failSoon(id, error)
        }
    }

    /// In a turn of its own: a list of addresses that fail at once must not be one long turn.
    private func failSoon(_ id: ConnectRace.AttemptID, _ error: TransportError) {
        loop.execute { [self] in handle(.failed(id, error)) }
    }

    private func settle(_ id: ConnectRace.AttemptID, _ address: SocketAddress) {
        guard let socket = sockets[id] else { return }
        let error = shim_socket_error(socket.descriptor)
        guard error != 0 else { return handle(.connected(id)) }
        drop(id)
        handle(.failed(id, TransportError(.connectFailed, "\(address)", errno: error)))
    }

    /// Takes a socket from the loop's hands, open as it is.
    private func release(_ id: ConnectRace.AttemptID) -> Int32? {
        guard let socket = sockets.removeValue(forKey: id) else { return nil }
        loop.unregister(socket.registration)
        loop.cancel(socket.limit)
        return socket.descriptor
    }

    private func drop(_ id: ConnectRace.AttemptID) {
        if let descriptor = release(id) { Glibc.close(descriptor) }
    }

    private func use(_ id: ConnectRace.AttemptID, _ target: ConnectStep.Target) {
        guard let descriptor = release(id) else { return }
        channel.peer = "\(target.host):\(target.port)"
        if target.isDirectTLS, var settings = security {
            settings.offersALPN = true
            channel.beginDirectTLS(descriptor, settings)
        } else {
            cancel()
            channel.finishConnecting(descriptor)
        }
    }
}
