/// A policy as it is evaluated: rules in order, lists resolved.
///
/// The loader in DoorwardConfig makes it.
package struct Policy: Sendable {
    package var name: String
    /// SHA-256 over the policy's file and its list files, as lower-case hex.
    package var digest: String
    /// Tried from the top; the first that holds decides.
    package let rules: [Rule]
    /// Whether a rule asks what an invitation token is worth.
    package let readsToken: Bool

    package init(name: String, digest: String, rules: [Rule] = []) {
        self.name = name
        self.digest = digest
        self.rules = rules
        readsToken = rules.contains { $0.conditions.contains(where: \.readsToken) }
    }
}
