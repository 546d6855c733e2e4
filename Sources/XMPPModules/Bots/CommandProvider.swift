public import XMPPClient

/// A module that has commands which others run from the menus of their clients (XEP-0050), with forms (XEP-0004) where a command
/// asks for something.
///
/// ```swift
/// let offeredCommands = [OfferedCommand("forecast", name: "Weather forecast")]
///
/// func answer(_ call: CommandCall, in context: ModuleContext) async throws -> CommandAnswer {
///     guard let city = call.answers.first?.value("city") else {
///         return .ask(DataForm(.form, title: "Forecast", fields: [.text("city", "City", isRequired: true)]))
///     }
///     return .done(notes: [CommandNote("\(city): sunny")])
/// }
/// ```
///
/// Service discovery shows each of them to those who may run it. What was filled in is checked against the form before the module
/// sees it. ``CommandSessions`` bounds the runs: so many of one person, so many in all, and those that nobody goes on with
/// expire.
public protocol CommandProvider: XMPPModule {
    /// Its commands, in the order that lists show them; read once, behind `init`.
    ///
    /// Of two modules with the same node the first in the configuration has it.
    var offeredCommands: [OfferedCommand] { get }

    /// Somebody who may run it has taken a step.
    ///
    /// - Returns: What comes next.
    /// - Throws: What it throws is counted and logged, and ends the run as failed.
    func answer(_ call: CommandCall, in context: ModuleContext) async throws -> CommandAnswer
}

/// A command that a module has for others (XEP-0050).
public struct OfferedCommand: Hashable, Sendable {
    /// What it is called by programs: unique in the account.
    public var node: String
    /// What it is called by people.
    public var name: String
    /// Who may run it, and sees that it is there.
    public var audience: ModuleAudience

    /// A command.
    public init(_ node: String, name: String, for audience: ModuleAudience = .contacts) {
        (self.node, self.name, self.audience) = (node, name, audience)
    }
}
