/// What an account may tell its contacts of itself when asked.
public enum AnswerKind: String, Hashable, Sendable, CaseIterable {
    /// The time of day, in UTC (XEP-0202).
    case time
    /// The program and its version, never the system (XEP-0092).
    case version
    /// How long it has been idle (XEP-0012).
    case last
}
