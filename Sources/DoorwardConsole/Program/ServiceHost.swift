package import DoorwardConfig
package import DoorwardRuntime
import DoorwardStore
import Glibc
import XMPPCore
import XMPPTransport

extension Service: ServiceControl {}

/// The service in this process: its loops, its store, its control socket, and the signals that steer it.
package final class ServiceHost: Sendable {
    /// SIGINT and SIGTERM stop, SIGHUP reloads.
    ///
    /// To be held back before any other thread is there.
    package static let signals = [SIGINT, SIGTERM, SIGHUP]
    /// How long the accounts may take to say goodbye.
    private static let farewell = Duration.seconds(10)

    private let loops: [EventLoop]
    private let service: Service
    private let store: Store
    private let control: ControlServer
    private let events: EventSink

    /// Opens the store and the control socket.
    ///
    /// Accounts connect with `run()`.
    ///
    /// - Parameters:
    ///   - configuration: Free of errors.
    ///   - load: Reads the files again, for a reload.
    ///   - events: Told what happens; from any thread.
    /// - Throws: `StoreError` or `TransportError`, each with what to do.
    package init(
        configuration: Configuration, load: @escaping @Sendable () -> LoadResult, events: @escaping EventSink
    ) async throws {
        let count = max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 16))
        var loops: [EventLoop] = []
        for number in 0..<count {
            let loop = try EventLoop(name: "loop-\(number)")
            loop.start()
            loops.append(loop)
        }
        guard let first = loops.first else { throw TransportError(.closed, "no event loop") }
        self.loops = loops
        self.events = events
        let parts = Service.Parts(
            loops: loops, connector: SocketConnector(), version: Program.version, load: load, events: events)
        do {
            store = try Store(path: configuration.storePath)
        } catch {
            for loop in loops { loop.stop() }
            throw error
        }
        let service = Service(configuration: configuration, store: store, parts: parts)
        self.service = service
        control = ControlServer(loop: first, model: CommandModel(service: service, now: wallClock)) {
            await service.operators()
        }
        do {
            try await control.start(path: configuration.controlPath)
        } catch {
            await store.close()
            for loop in loops { loop.stop() }
            throw error
        }
    }

    /// Runs until SIGINT, SIGTERM or `stop()`; then everything is closed in order.
    ///
    /// - Parameters:
    ///   - steeredBySignals: False where the caller watches the signals, and calls `stop()` itself.
    ///   - onReady: Called once when the control socket listens and the accounts are starting.
    /// - Throws: `TransportError` where the signals cannot be watched.
    package func run(steeredBySignals: Bool = true, onReady: @Sendable () -> Void = {}) async throws {
        guard let first = loops.first else { return }
        var source: SignalSource?
        if steeredBySignals {
            source = try SignalSource(Self.signals, on: first) { [self] signal in
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
        for loop in loops { loop.stop() }
    }

    /// Stops the accounts in order; `run()` then ends.
    package func stop() async {
        await service.stop()
    }

    /// The longest turns of the loops since the start, of the clock's and of the processor's time.
    package var longestTurn: (wall: Duration, cpu: Duration) {
        (loops.map(\.longestTurn).max() ?? .zero, loops.map(\.longestTurnCPU).max() ?? .zero)
    }

    private func handle(_ signal: Int32) async {
        guard signal == SIGHUP else { return await stop() }
        _ = await service.reload()
    }
}
