/// What came of a command: the exit status, the data of the contract, and in words what went wrong.
package struct CommandResult: Hashable, Sendable {
    package var status: ProgramStatus
    package var data: JSONValue
    package var error: String?
    /// Where the data is only a first part: the arguments that ask for the rest.
    package var next: JSONValue?

    package init(
        _ status: ProgramStatus = .done,
        data: JSONValue = .null,
        error: String? = nil,
        next: JSONValue? = nil
    ) {
        self.status = status
        self.data = data
        self.error = error
        self.next = next
    }

    static func refused(_ error: String) -> CommandResult { CommandResult(.refused, error: error) }

    static func badUsage(_ error: String) -> CommandResult { CommandResult(.usage, error: error) }
}
