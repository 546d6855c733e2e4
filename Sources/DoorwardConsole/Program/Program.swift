import DoorwardConfig
package import XMPPClient
package import XMPPCore

/// The program: a command line goes in, an exit status comes out.
package struct Program {
    /// The version of this program.
    package static let version = "0.1.0"

    private let output: Output
    private let now: @Sendable () -> Timestamp
    private let modules: ModuleRegistry

    /// - Parameters:
    ///   - output: Where it writes.
    ///   - modules: The modules that its bots may name.
    ///   - now: The wall clock.
    package init(
        output: Output, modules: [any XMPPModule.Type] = [], now: @escaping @Sendable () -> Timestamp
    ) {
        self.output = output
        self.now = now
        self.modules = ModuleRegistry(modules.map { ModuleRegistry.Entry($0) })
    }

    /// Does what a command line says.
    ///
    /// - Parameter words: The command line without the program's name.
    /// - Returns: The status to exit with.
    package func run(_ words: [String]) -> ProgramStatus {
        let status = perform(words)
        guard let failure = output.failure() else { return status }
        output.error("cannot write to standard output: \(failure)")
        return status == .done ? .refused : status
    }

    private func perform(_ words: [String]) -> ProgramStatus {
        do throws(UsageError) {
            switch try CommandLineParser.parse(words) {
            case .help(let topic):
                output.line(.words(HelpText.about(topic)))
                return .done
            case .run(var invocation):
                invocation.modules = modules
                return try perform(invocation)
            }
        } catch {
            output.error(error.message)
            return .usage
        }
    }

    private func perform(_ invocation: Invocation) throws(UsageError) -> ProgramStatus {
        switch invocation.command.action {
        case .local(let work): return try work(invocation, output)
        case .service(let verb): return try ServiceCommand(verb, output: output, now: now()).run(invocation)
        }
    }
}
