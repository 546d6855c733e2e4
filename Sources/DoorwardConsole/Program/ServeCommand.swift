import DoorwardConfig

/// `doorward run`: the service in this process, until it is told to stop.
enum ServeCommand {
    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> CommandStatus {
        let file = try ConfigurationFile(invocation)
        let result = ConfigurationLoader.load(path: file.path, overlay: file.overlay)
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
    static func serve(configuration: Configuration, file: ConfigurationFile, output: Output) async -> CommandStatus {
        output.error("'run' is not wired to the runtime yet")
        return .refused
    }
}
