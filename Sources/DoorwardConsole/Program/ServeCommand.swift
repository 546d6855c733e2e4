import DoorwardConfig
import XMPPCore
import XMPPTransport

/// `doorward run`: the service in this process, until it is told to stop.
enum ServeCommand {
    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> ProgramStatus {
        // First of all: a signal that comes while the files are read waits for the loop, and no other thread is there
        // yet, so all of them leave the signals to it.
        SignalSource.block(ServiceHost.signals)
        let file = try ConfigurationFile(invocation)
        let result = file.load()
        output.faults(result.faults.map(CheckCommand.rendered))
        guard let configuration = result.configuration, result.errors.isEmpty else {
            output.error("\(file.path) has errors, so nothing was started; 'doorward check' shows them again")
            return .usage
        }
        return waiting { await serve(configuration: configuration, file: file, output: output) } ?? .refused
    }

    /// Runs the service: supervisor, control server and signals, until SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - configuration: Free of errors.
    ///   - file: Where it was read from, for reloads.
    ///   - output: For what goes wrong at the start.
    /// - Returns: The status to exit with.
    static func serve(configuration: Configuration, file: ConfigurationFile, output: Output) async -> ProgramStatus {
        let writer = LogWriter { output.log($0) }
        defer { writer.flush() }
        let log = EventLog(write: { writer.write($0) }, now: wallClock)
        let load: @Sendable () -> LoadResult = { file.load() }
        do {
            let host = try await ServiceHost(
                configuration: configuration, load: load, events: log.record, turnedAway: log.turnedAway)
            let onFigures: @Sendable (ServiceHost) -> Void = { host in
                writer.write(LogLine("figures", at: wallClock(), figures(host)).text)
            }
            try await host.run(onFigures: onFigures) {
                let fields: [(String, String?)] = [
                    ("version", Program.version), ("accounts", String(configuration.accounts.count)),
                    ("control", configuration.controlPath),
                ]
                writer.write(LogLine("started", at: wallClock(), fields).text)
            }
            writer.write(LogLine("stopped", at: wallClock(), figures(host)).text)
        } catch {
            output.error("\(String(describing: error))")
            return .refused
        }
        return .done
    }

    private static func figures(_ host: ServiceHost) -> [(String, String?)] {
        let (turn, work) = (host.longestTurn, host.work)
        return [
            ("longest_turn_us", microseconds(turn.wall)), ("longest_turn_cpu_us", microseconds(turn.cpu)),
            ("reads", String(work.reads)), ("commits", String(work.commits)),
        ]
    }

    private static func microseconds(_ duration: Duration) -> String {
        String(Int64(duration / .microseconds(1)))
    }
}
