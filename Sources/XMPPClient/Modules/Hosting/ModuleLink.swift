import XMPPCore
import XMPPTransport

/// A module's way to its account's loop, and back.
final class ModuleLink: @unchecked Sendable {
    // Unchecked because `host` is used on the loop only; all else is Sendable and does not change, but for `module`, which
    // is set once and goes away by itself.

    private weak var host: ModuleHost?
    /// Weak, since the module has the context that has this.
    private weak var module: HostedModule?
    private let name: String
    private let loop: EventLoop
    let chance: @Sendable (Int) -> [UInt8]
    private let report: @Sendable (ModuleReport) -> Void
    private let pace = Locked(LogPace())

    init(_ host: ModuleHost, _ module: HostedModule) {
        self.host = host
        self.module = module
        name = module.name
        let environment = host.environment
        (loop, chance, report) = (environment.loop, environment.chance, environment.report)
    }

    var time: any TimeSource { loop.time }

    /// Does something on the account's loop; nil where the host is gone.
    func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (ModuleHost, HostedModule) -> Value
    ) async -> Value? {
        await withCheckedContinuation { (waiter: CheckedContinuation<Value?, Never>) in
            // The loop is there as long as the host is; behind its end nobody waits any more.
            guard !loop.hasStopped else { return waiter.resume(returning: nil) }
            loop.execute { [self] in
                guard let host, let module else { return waiter.resume(returning: nil) }
                waiter.resume(returning: body(host, module))
            }
        }
    }

    /// Does something on the account's loop soon, where the host is there then.
    func tell(_ body: @escaping @Sendable (ModuleHost, HostedModule) -> Void) {
        loop.execute { [self] in if let host, let module { body(host, module) } }
    }

    /// Asks; a cancelled task waits no longer.
    func request(
        _ type: IQType, to recipient: JID?, _ payload: Element, timeout: Duration
    ) async -> Result<Element?, ClientError> {
        let answer = Once<Result<Element?, ClientError>>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                answer.wait(waiter)
                guard !loop.hasStopped else { return answer.give(.failure(.offline)) }
                loop.execute { [self] in
                    guard let session = host?.session, let module, !module.isShut, session.isOnline else {
                        return answer.give(.failure(.offline))
                    }
                    session.request(type, to: recipient, payload, timeout: timeout) { answer.give($0) }
                }
            }
        } onCancel: {
            answer.give(.failure(.cancelled))
        }
    }

    func sleep(for duration: Duration) async throws {
        let end = Once<Bool>()
        let timer = loop.schedule(after: duration) { end.give(true) }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { end.wait($0) }
        } onCancel: {
            end.give(false)
        }
        loop.cancel(timer)
        guard isOver else { throw CancellationError() }
    }

    func log(_ text: String, isWarning: Bool) {
        guard let dropped = pace.withLock({ $0.take(at: loop.time.now) }) else { return }
        report(.said(module: name, text: logText(text), isWarning: isWarning, dropped: dropped))
    }
}

/// Text for a log: at most 500 bytes of it.
func logText(_ text: String) -> String {
    guard text.utf8.count > 500 else { return text }
    return String(decoding: text.utf8.prefix(497), as: UTF8.self) + "…"
}

/// One value for one who waits; what comes later is dropped.
final class Once<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, Never>)
        case given(Value)
        case over
    }

    private let state = Locked(State.empty)

    func wait(_ waiter: CheckedContinuation<Value, Never>) {
        let value: Value? = state.withLock { state in
            guard case .given(let value) = state else {
                state = .waiting(waiter)
                return nil
            }
            state = .over
            return value
        }
        if let value { waiter.resume(returning: value) }
    }

    func give(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .given(value)
                return nil
            case .waiting(let waiter):
                state = .over
                return waiter
            case .given, .over:
                return nil
            }
        }
        waiter?.resume(returning: value)
    }
}

/// How many lines a module may log: 20 in a minute.
struct LogPace {
    private static let limit = 20
    private static let span = Duration.seconds(60)

    private var began: Duration?
    private var count = 0
    private var dropped = 0

    /// - Returns: How many were dropped before this one; nil where it is dropped too.
    mutating func take(at now: Duration) -> Int? {
        if began.map({ now - $0 >= Self.span }) ?? true { (began, count) = (now, 0) }
        guard count < Self.limit else {
            dropped += 1
            return nil
        }
        count += 1
        defer { dropped = 0 }
        return dropped
    }
}
