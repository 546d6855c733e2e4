public import XMPPCore

/// A command of somebody else that the account runs (XEP-0050): gives what to send, and takes what comes back.
///
/// ```swift
/// var command = RequestedCommand(node: "greet")
/// session.request(.set, to: peer, command.begin()) { reply in
///     guard case .success(let payload?) = reply, command.received(payload) else { return }
///     // command.form is to be filled in: send command.step(.execute, form.submission(["name": ["Ann"]]))
/// }
/// ```
public struct RequestedCommand: Hashable, Sendable {
    /// Which command.
    public let node: String
    /// Where it stands; nil before the first answer.
    public private(set) var status: CommandStatus?
    /// What may be done, beside giving up.
    public private(set) var actions = CommandActions.only
    /// To be filled in, or what was found.
    public private(set) var form: DataForm?
    /// What it said last.
    public private(set) var notes: [CommandNote] = []
    private var session: String?

    /// A command that was not begun.
    ///
    /// - Parameter node: Which.
    public init(node: String) {
        self.node = node
    }

    /// Asks for the list of somebody's commands (`DiscoPayload.items(in:)` reads the answer).
    public static func list() -> Element { DiscoPayload.items(node: Namespace.commands) }

    /// What begins it.
    public func begin() -> Element { CommandRequest(node: node).element }

    /// What goes on with it.
    ///
    /// - Parameters:
    ///   - action: What is wanted.
    ///   - form: What was filled in (`DataForm.submission(_:)`).
    /// - Returns: Nil where that cannot be done now: it was not begun, is over, or the stage does not have it.
    public func step(_ action: CommandAction, _ form: DataForm? = nil) -> Element? {
        guard let session, status == .executing else { return nil }
        switch action {
        case .cancel, .execute: break
        case .next, .previous, .complete: guard actions.allowed.contains(action) else { return nil }
        }
        return CommandRequest(node: node, session: session, action: action, form: form).element
    }

    /// Takes the answer to what was sent.
    ///
    /// - Returns: Whether it is one of this command, in the session that it was begun in; otherwise nothing has changed.
    @discardableResult
    public mutating func received(_ payload: Element) -> Bool {
        guard let result = CommandResponse(payload), sameBytes(result.node, node),
            session == nil || sameBytes(session, result.session)
        else { return false }
        (session, status, form, notes) = (result.session, result.status, result.form, result.notes)
        actions = result.actions ?? .only
        return true
    }
}
