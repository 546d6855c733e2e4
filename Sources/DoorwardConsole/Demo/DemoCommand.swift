import DoorwardConfig
import Glibc
import XMPPCore
import XMPPTransport

/// `doorward demo`: the service on a private server on this machine, with guests who ask to be added.
enum DemoCommand {
    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> ProgramStatus {
        // First of all: a signal that comes while the files are read waits for the loop, and no other thread is there
        // yet, so all of them leave the signals to it.
        SignalSource.block(ServiceHost.signals)
        let file = try ConfigurationFile(invocation)
        guard file.overlay == nil else {
            throw UsageError("'demo' writes an overlay of its own; leave --overlay out")
        }
        let result = file.load(overlay: nil)
        guard result.configuration != nil, result.errors.isEmpty else {
            output.faults(result.faults.map(CheckCommand.rendered))
            output.error("\(file.path) has errors, so nothing was started; 'doorward check' shows them again")
            return .usage
        }
        var words = DemoWords(program: program)
        if let named = invocation["config"] { words.options = "--config \(shellQuoted(named))" }
        let once = invocation.has("once")
        return waiting { [words] in await run(file, words: words, once: once, output: output) } ?? .refused
    }

    private static func run(_ file: ConfigurationFile, words: DemoWords, once: Bool, output: Output) async
        -> ProgramStatus
    {
        do {
            let folder = try DemoFolder.take(besideConfiguration: file.path)
            let loop = try EventLoop(name: "demo")
            loop.start()
            defer { loop.stop() }
            let (events, post) = AsyncStream.makeStream(of: DemoEvent.self)
            let signals = try watchSignals(on: loop, folder, post)
            defer { signals.close() }
            let setup = try await BlockingPool.run { try DemoSetup.make(file, in: folder) }
            do {
                try await tell(setup, words: words, once: once, output: output, loop: loop, events, post)
            } catch {
                await stop(setup.server)
                throw error
            }
            await stop(setup.server)
            output.lines(words.stopped)
            return .done
        } catch {
            output.error("\(String(describing: error))")
            return .refused
        }
    }

    /// Runs service and guests until the end.
    private static func tell(
        _ setup: DemoSetup, words: DemoWords, once: Bool, output: Output, loop: EventLoop,
        _ events: AsyncStream<DemoEvent>, _ post: AsyncStream<DemoEvent>.Continuation
    ) async throws {
        let log = try LogFile(path: setup.folder.log)
        let record = EventLog(write: { log.write($0()) }, now: wallClock)
        let host = try await ServiceHost(
            configuration: setup.configuration, load: setup.load,
            events: { event in
                record.record(event)
                post.yield(.service(event))
            }, turnedAway: record.turnedAway)
        var words = words
        if serviceListens(at: setup.ownControlPath) { words.options = "--overlay \(shellQuoted(setup.folder.overlay))" }
        var run = DemoRun(
            setup: setup, words: words, output: output, host: host, loop: loop, once: once, post: post)
        async let service: Void = {
            defer { post.yield(.serviceEnded) }
            try await host.run(steeredBySignals: false)
        }()
        try await run.follow(events)
        try await service
    }

    private static func stop(_ server: PrivateProsody) async {
        _ = try? await BlockingPool.run { server.stop() }
    }

    // MARK: Words for a second terminal

    /// Whether the user's own service runs: a command would ask that one, were it not told otherwise.
    private static func serviceListens(at path: String) -> Bool {
        guard let connection = try? UnixSocketClient.connect(path: path) else { return false }
        connection.close()
        return true
    }

    /// How this program was called, so that the lines to type work as they stand.
    private static var program: String {
        guard let called = CommandLine.arguments.first, called.contains("/") else { return "doorward" }
        return shellQuoted(called)
    }

    // MARK: Signals

    /// The first signal ends the demo in order; SIGHUP too, since it says that the terminal was closed.
    ///
    /// A second one ends it at once, and Prosody with it.
    private static func watchSignals(
        on loop: EventLoop, _ folder: DemoFolder, _ post: AsyncStream<DemoEvent>.Continuation
    ) throws -> SignalSource {
        let count = Locked(0)
        return try SignalSource(ServiceHost.signals, on: loop) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number > 1 else {
                post.yield(.interrupted)
                return
            }
            PrivateProsody.killLeftover(in: folder.server)
            _exit(130)
        }
    }
}
