/// How a login went, for `status`, logs and memory.
package struct LoginReport: Sendable, Hashable {
    /// The SASL mechanism, such as `SCRAM-SHA-256-PLUS`; empty before there is one.
    package var mechanism: String
    package var channelBinding: ChannelBindingType?
    package var usedSASL2: Bool
    package var usedToken: Bool
    /// What to remember from now on.
    package var memory: LoginMemory

    package init(
        mechanism: String = "", channelBinding: ChannelBindingType? = nil, usedSASL2: Bool = false,
        usedToken: Bool = false, memory: LoginMemory = LoginMemory()
    ) {
        self.mechanism = mechanism
        self.channelBinding = channelBinding
        self.usedSASL2 = usedSASL2
        self.usedToken = usedToken
        self.memory = memory
    }
}
