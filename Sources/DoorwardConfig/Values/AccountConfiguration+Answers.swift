extension AccountConfiguration {
    /// What contacts who see the account's presence may ask it.
    package enum Answer: String, Hashable, Sendable, CaseIterable {
        /// The time of day, in UTC (XEP-0202).
        case time
        /// The program and its version (XEP-0092).
        case version
        /// How long it has been idle (XEP-0012).
        case last
    }
}
