import DoorwardConfig

/// `doorward check`: every fault of every file, without a service.
enum CheckCommand {
    static func run(_ invocation: Invocation, output: Output) throws(UsageError) -> ProgramStatus {
        let file = try ConfigurationFile(invocation)
        let result = file.load()
        if let address = invocation["connect"] { return connect(address, result, invocation, output) }
        let status: ProgramStatus = result.errors.isEmpty && result.configuration != nil ? .done : .usage
        if invocation.json {
            output.json(.array(result.faults.map(\.json)))
        } else {
            output.lines(result.faults.map(rendered))
            output.lines(summary(result, path: file.path))
        }
        return status
    }

    /// One login of an account, where the files have no errors.
    private static func connect(
        _ address: String, _ result: LoadResult, _ invocation: Invocation, _ output: Output
    ) -> ProgramStatus {
        output.faults(result.faults.map(rendered))
        guard let configuration = result.configuration, result.errors.isEmpty else {
            let nothing = "the files have errors, so nothing was connected"
            if invocation.json { output.json(ConnectReport().json(account: address, error: nothing)) }
            output.error(.words(nothing))
            return .usage
        }
        guard let check = ConnectCheck(address, of: configuration, output: output, isJSON: invocation.json) else {
            return .refused
        }
        return waiting { await check.run() } ?? .refused
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
            return ["\(place(of: result.faults, else: path)): \(counted(errors, "error", "errors"))\(also)"]
        }
        let holds: TerminalText =
            "\(counted(configuration.accounts.count, "account", "accounts")), "
            + counted(configuration.policies.count, "policy", "policies")
        return [
            warnings == 0
                ? "\(path): no faults (\(holds))"
                : "\(place(of: result.faults, else: path)): no errors, \(counted(warnings, "warning", "warnings")) (\(holds))"
        ]
    }

    /// The file that all the faults are in, or how many there are of such.
    private static func place(of faults: [Fault], else path: String) -> TerminalText {
        let paths = Set(faults.map { Array($0.path.utf8) }.filter { !$0.isEmpty })
        guard paths.count < 2 else { return "\(paths.count) files" }
        return TerminalText(paths.first.map { String(decoding: $0, as: UTF8.self) } ?? path)
    }
}
