/// Which event a module had in its hands.
package struct EventNote: Hashable, Sendable {
    package let account: String
    package let module: String
    /// Its digest.
    package let event: String

    package init(account: String, module: String, event: String) {
        (self.account, self.module, self.event) = (account, module, event)
    }
}
