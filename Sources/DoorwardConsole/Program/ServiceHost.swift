package import DoorwardConfig
package import DoorwardRuntime
import DoorwardStore
import Glibc
import XMPPCore
import XMPPTransport

extension Service: ServiceControl {}

/// The service in this process: its loops, its store, its control socket, and the signals that steer it.
package final class ServiceHost: Sendable {
    /// SIGINT and SIGTERM stop, SIGHUP reloads, SIGUSR1 asks for the figures.
    ///
    /// To be held back before any other thread is there.
    package static let signals = [SIGINT, SIGTERM, SIGHUP, SIGUSR1]

    /// While accounts are busy, what they record in so long is on disk by one transaction.
    ///
    /// People do not feel it, and it is the difference between one wait for the disk and eight at 100 requests a second.
    private static let commitWindow = Duration.milliseconds(80)

    /// The accounts live on these.
    private let loops: [EventLoop]
    /// Control socket and signals: what an operator asks for never holds an account up.
    private let steering: EventLoop
    private let service: Service
    private let store: Store
    private let control: ControlServer

    /// Opens the store and the control socket.
    ///
    /// Accounts connect with `run()`.
    ///
    /// - Parameters:
    ///   - configuration: Free of errors.
    ///   - load: Reads the files again, for a reload.
    ///   - events: Told what happens; from any thread.
    ///   - turnedAway: Told, at most once a minute, of callers of the control socket who got no command in.
    /// - Throws: `StoreError` or `TransportError`, each with what to do.
    package init(
        configuration: Configuration, load: @escaping @Sendable () -> LoadResult, events: @escaping EventSink,
        turnedAway: @escaping @Sendable (_ user: UInt32, _ count: Int) -> Void = { _, _ in }
    ) async throws {
        let count = max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 16))
        let steering = try EventLoop(name: "steering")
        let loops = try (0..<count).map { number throws(TransportError) in try EventLoop(name: "loop-\(number)") }
        for loop in loops + [steering] { loop.start() }
        self.loops = loops
        self.steering = steering
        var parts = Service.Parts(
            loops: loops, connector: SocketConnector(), version: Program.version, load: load, events: events)
        do {
            store = try Store(path: configuration.storePath, window: Self.commitWindow)
            // Behind the store's lock: nobody else has its folder.
            let folder = FilePath.join(FilePath.folder(of: configuration.storePath), "avatars")
            parts.avatars = AvatarFleet(files: AvatarFiles(folder: folder))
        } catch {
            for loop in loops + [steering] { loop.stop() }
            throw error
        }
        let service = Service(configuration: configuration, store: store, parts: parts)
        self.service = service
        let model = CommandModel(service: service, now: wallClock)
        control = ControlServer(loop: steering, model: model, turnedAway: turnedAway) {
            await service.operators()
        }
        do {
            try await control.start(path: configuration.controlPath)
        } catch {
            await store.close()
            for loop in loops + [steering] { loop.stop() }
            throw error
        }
    }

    /// Runs until SIGINT, SIGTERM or `stop()`; then everything is closed in order.
    ///
    /// - Parameters:
    ///   - steeredBySignals: False where the caller watches the signals, and calls `stop()` itself.
    ///   - onFigures: Called when a signal asks for the figures.
    ///   - onReady: Called once when the control socket listens and the accounts are starting.
    /// - Throws: `TransportError` where the signals cannot be watched.
    package func run(
        steeredBySignals: Bool = true, onFigures: @escaping @Sendable (ServiceHost) -> Void = { _ in },
        onReady: @Sendable () -> Void = {}
    ) async throws {
        var source: SignalSource?
        if steeredBySignals {
            source = try SignalSource(Self.signals, on: steering) { [self] signal in
                guard signal != SIGUSR1 else { return onFigures(self) }
                // Unstructured: a signal is an event of the loop, which does not wait for what it asks for.
                Task { await handle(signal) }
            }
        }
        notifySystemd("READY=1")
        onReady()
        await service.run()
        notifySystemd("STOPPING=1")
        source?.close()
        await control.stop()
        await store.close()
        for loop in loops + [steering] { loop.stop() }
    }

    /// Stops the accounts in order; `run()` then ends.
    package func stop() async {
        await service.stop()
    }

    /// The longest turns of the loops since the start, of the clock's and of the processor's time.
    package var longestTurn: (wall: Duration, cpu: Duration) {
        (loops.map(\.longestTurn).max() ?? .zero, loops.map(\.longestTurnCPU).max() ?? .zero)
    }

    /// How often accounts have read from their streams, and how often something was written to the disk, since the start.
    package var work: (reads: Int, commits: Int) { service.work }

    private func handle(_ signal: Int32) async {
        guard signal == SIGHUP else { return await stop() }
        _ = await service.reload()
    }
}
