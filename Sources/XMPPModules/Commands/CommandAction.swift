/// What the one who runs a command wants next (XEP-0050 section 3.4).
public enum CommandAction: String, Hashable, Sendable, CaseIterable {
    /// To begin; within a session, what its stage says it means.
    case execute
    /// The next stage.
    case next
    /// The stage before.
    case previous = "prev"
    /// The end, with what is filled in.
    case complete
    /// To give up.
    case cancel
}

/// What a stage of a command lets its user do, beside giving up.
public struct CommandActions: Hashable, Sendable {
    /// Of `next`, `previous` and `complete`.
    public var allowed: Set<CommandAction>
    /// What `execute` means: one of the allowed.
    public var execute: CommandAction

    /// Actions.
    ///
    /// - Parameters:
    ///   - allowed: At least one of `next`, `previous` and `complete`; others are left out.
    ///   - execute: What `execute` means; where it is not allowed, the first that is.
    public init(_ allowed: Set<CommandAction>, execute: CommandAction) {
        let order: [CommandAction] = [.next, .complete, .previous]
        let real = allowed.intersection(order)
        self.allowed = real.isEmpty ? [.complete] : real
        self.execute = self.allowed.contains(execute) ? execute : order.first(where: self.allowed.contains) ?? .complete
    }

    /// The only stage: what is filled in is the end.
    public static let only = CommandActions([.complete], execute: .complete)
    /// The first of several stages.
    public static let first = CommandActions([.next], execute: .next)
    /// One between the first and the last.
    public static let middle = CommandActions([.previous, .next], execute: .next)
    /// The last of several.
    public static let last = CommandActions([.previous, .complete], execute: .complete)
}

/// What a command says to its user beside, or instead of, a form (XEP-0050 section 3.3).
public struct CommandNote: Hashable, Sendable {
    /// How serious it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// For information.
        case info
        /// Something is to be heeded.
        case warn
        /// It failed.
        case error
    }

    /// How serious it is.
    public var kind: Kind
    /// The words.
    public var text: String

    /// A note.
    public init(_ text: String, kind: Kind = .info) {
        self.kind = kind
        self.text = text
    }
}

/// Where a command stands.
public enum CommandStatus: String, Hashable, Sendable, CaseIterable {
    /// Its user is asked for more.
    case executing
    /// It is done.
    case completed
    /// Its user gave up.
    case canceled
}
