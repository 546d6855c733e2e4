import DoorwardConfig

/// `doorward check`: every fault of every file, without a service.
enum CheckCommand {
    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> CommandStatus {
        let file = try ConfigurationFile(invocation)
        let result = ConfigurationLoader.load(path: file.path, overlay: file.overlay)
        let status: CommandStatus = result.errors.isEmpty && result.configuration != nil ? .done : .usage
        if invocation.json {
            output.json(.array(result.faults.map(\.json)))
        } else {
            output.lines(result.faults.map(rendered))
            output.lines(summary(result, path: file.path))
        }
        return status
    }

    /// A fault as the contract has it.
    ///
    /// It has made itself visible already, with the caret under its place: once more would move the place.
    static func rendered(_ fault: Fault) -> TerminalText { .words(fault.rendered()) }

    private static func summary(_ result: LoadResult, path: String) -> [TerminalText] {
        let errors = result.errors.count
        let warnings = result.faults.count - errors
        guard errors == 0, let configuration = result.configuration else {
            let also: TerminalText = warnings == 0 ? "" : " and \(counted(warnings, "warning", "warnings"))"
            return ["\(path): \(counted(errors, "error", "errors"))\(also)"]
        }
        let holds: TerminalText =
            "\(counted(configuration.accounts.count, "account", "accounts")), "
            + counted(configuration.policies.count, "policy", "policies")
        return [
            warnings == 0
                ? "\(path): no faults (\(holds))"
                : "\(path): no errors, \(counted(warnings, "warning", "warnings")) (\(holds))"
        ]
    }
}
