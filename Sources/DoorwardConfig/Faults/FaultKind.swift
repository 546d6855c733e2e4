/// One kind of fault: its stable code, and what a person should know of it.
package struct FaultKind: Hashable, Sendable {
    /// `DW` and three digits; never used for another kind again.
    package let code: String
    package let severity: Fault.Severity
    /// A few words.
    package let title: String
    /// What it means and what to do.
    package let explanation: String

    init(_ code: String, _ title: String, _ explanation: String, severity: Fault.Severity = .error) {
        self.code = code
        self.severity = severity
        self.title = title
        self.explanation = explanation
    }
}
