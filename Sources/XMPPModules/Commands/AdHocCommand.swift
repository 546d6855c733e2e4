public import XMPPCore

/// A command that others may run on the account (XEP-0050).
///
/// ```swift
/// AdHocCommand("greet", name: "Greet somebody", mayRun: { operators.contains($0) }) { call, answer in
///     guard let form = call.answers.first else { return answer(.ask(greetForm)) }
///     answer(.done(notes: [CommandNote("Greeted \(form.value("name") ?? "nobody").")]))
/// }
/// ```
public struct AdHocCommand: Sendable {
    /// What is done with a call: it answers once, at once or later, in the module's isolation.
    ///
    /// What comes after the run has ended is left out.
    public typealias Handler = @Sendable (CommandCall, _ answer: @escaping (CommandAnswer) -> Void) -> Void

    /// What it is called by programs.
    public let node: String
    /// What it is called by people.
    public let name: String
    /// Whether somebody may run it, and see that it is there.
    public let mayRun: @Sendable (BareJID) -> Bool
    let handler: Handler

    /// A command.
    ///
    /// - Parameters:
    ///   - node: What it is called by programs: unique among the account's nodes.
    ///   - name: What it is called by people.
    ///   - mayRun: Whether somebody may run it; asked at each stage.
    ///   - handler: What it does.
    public init(
        _ node: String, name: String, mayRun: @escaping @Sendable (BareJID) -> Bool, handler: @escaping Handler
    ) {
        self.node = node
        self.name = name
        self.mayRun = mayRun
        self.handler = handler
    }
}

/// A step of somebody who runs a command.
public struct CommandCall: Hashable, Sendable {
    /// Which command.
    public let node: String
    /// Who runs it: the one full address that began.
    public let requester: JID
    /// Which run it is.
    public let session: String
    /// What was filled in at each stage so far, checked against the form of that stage; none at the beginning.
    ///
    /// A step back takes the last away. Its number is that of the stage.
    public let answers: [DataForm]
    /// Whether it is to be the end, and no further stage.
    public let isCompletion: Bool

    /// A step.
    public init(node: String, requester: JID, session: String, answers: [DataForm], isCompletion: Bool = false) {
        (self.node, self.requester, self.session) = (node, requester, session)
        (self.answers, self.isCompletion) = (answers, isCompletion)
    }
}

/// What a command answers to a step.
public enum CommandAnswer: Hashable, Sendable {
    /// A form to be filled in, and what may be done then.
    case ask(DataForm, CommandActions = .only, notes: [CommandNote] = [])
    /// Done, with what was found.
    case done(DataForm? = nil, notes: [CommandNote] = [])
    /// Done, and failed.
    case failed(String)
    /// What was filled in is not good; the stage stays as it is.
    case refused(String)
}
