/// What is remembered of an account's logins, so that nobody on the way can talk it into a weaker one.
package struct LoginMemory: Sendable, Hashable {
    /// SCRAM or EXTERNAL worked: PLAIN is never used again (XEP-0474 section 7).
    package var usedStrongMechanism: Bool
    /// A -PLUS form worked with a binding that the server announced (XEP-0440): it is never done without again.
    package var usedAnnouncedBinding: Bool

    package init(usedStrongMechanism: Bool = false, usedAnnouncedBinding: Bool = false) {
        self.usedStrongMechanism = usedStrongMechanism
        self.usedAnnouncedBinding = usedAnnouncedBinding
    }
}
