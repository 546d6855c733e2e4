package import DoorwardConfig
import XMPPCore

/// How a command of the service goes: what the command line asks for, what the service does, and how its answer reads.
///
/// Whoever adds a command writes one of these and names it in the command's entry; the line's client, the service and the
/// check of roles know commands by this alone.
package struct ServiceVerb: Sendable {
    /// The request's arguments, of a command line.
    typealias Reader = @Sendable (Invocation) throws(UsageError) -> [JSONMember]
    /// What the service does.
    typealias Work = @Sendable (CommandModel, JSONValue, Caller) async throws -> CommandResult
    /// An answer, as a person reads it.
    typealias Words = @Sendable (ServiceAnswer) -> [TerminalText]

    /// The least role that may ask for it.
    package let leastRole: OperatorConfiguration.Role
    let arguments: Reader
    let perform: Work
    let words: Words
    /// Whether an answer that refuses has words too: of several requests some may be done.
    var hasWordsForRefusals = false
    /// What the data is where the caller's role does not do; null for most.
    var refusal: @Sendable (JSONValue, _ error: String) -> JSONValue = { _, _ in .null }
    /// What becomes of an answer before it is shown.
    var received: @Sendable (CommandResult, Invocation) -> CommandResult = { result, _ in result }

    init(
        _ leastRole: OperatorConfiguration.Role, arguments: @escaping Reader = { _ throws(UsageError) in [] },
        perform: @escaping Work, words: @escaping Words
    ) {
        self.leastRole = leastRole
        self.arguments = arguments
        self.perform = perform
        self.words = words
    }

    /// The same, with parts that few have.
    func with(_ change: (inout ServiceVerb) -> Void) -> ServiceVerb {
        var verb = self
        change(&verb)
        return verb
    }
}
