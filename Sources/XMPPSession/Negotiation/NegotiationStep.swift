/// A step of the login, for observers and for `doorward check --connect`.
package enum NegotiationStep: Sendable, Hashable {
    /// The features before or behind TLS: mechanisms, channel bindings and inline features by name.
    case offered(isSecured: Bool, sasl2: Bool, mechanisms: [String], bindings: [String]?, inline: [String])
    /// The login that was chosen; `binding` is the registered name of the channel binding.
    case chose(mechanism: String, binding: String?, sasl2: Bool)
    /// The server has proved itself, where the mechanism can; the rest as in `chose`.
    case authenticated(mechanism: String, binding: String?, sasl2: Bool)
}
