import Glibc
import XMPPCore
import XMPPTransport

/// `doorward demo`: the service on a private server on this machine, with guests who ask to be added.
enum DemoCommand {
    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> CommandStatus {
        let file = try ConfigurationFile(invocation)
        guard file.overlay == nil else {
            throw UsageError("'demo' writes an overlay of its own; leave --overlay out")
        }
        // Before any other thread is there, so that all of them leave the signals to the loop.
        SignalSource.block(ServiceHost.signals)
        var words = DemoWords(program: program)
        if let named = invocation["config"] { words.options = "--config \(shellQuoted(named))" }
        let once = invocation.has("once")
        return waiting { [words] in await run(file.path, words: words, once: once, output: output) } ?? .refused
    }

    private static func run(_ file: String, words: DemoWords, once: Bool, output: Output) async -> CommandStatus {
        do {
            let folder = try DemoFolder.take(besideConfiguration: file)
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
        let record = EventLog(write: log.write, now: wallClock)
        let host = try await ServiceHost(configuration: setup.configuration, load: setup.load) { event in
            record.record(event)
            post.yield(.service(event))
        }
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

    /// A word as a shell reads it.
    static func shellQuoted(_ word: String) -> String {
        let isPlain = { (byte: UInt8) in
            byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "+")...UInt8(ascii: ":")).contains(byte) || byte == UInt8(ascii: "_")
        }
        guard word.isEmpty || !word.utf8.allSatisfy(isPlain) else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
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
