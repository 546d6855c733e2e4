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
    /// The loader has made the source line visible; the rest is made so here, line by line, so that the caret stays
    /// under its place.
    static func rendered(_ fault: Fault) -> TerminalText {
        fault.rendered().split(separator: "\n", omittingEmptySubsequences: false)
            .map { TerminalText(String($0)) }
            .enumerated().reduce(into: TerminalText("")) { text, line in
                text += line.offset == 0 ? line.element : "\n" + line.element
            }
    }

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
