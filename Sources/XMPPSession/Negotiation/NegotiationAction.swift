/// What the driver of a `StreamNegotiation` is to do, in order.
package enum NegotiationAction: Sendable, Equatable {
    case send([UInt8])
    /// Drop the parser with all it holds, start TLS, then call `secured()`.
    case startTLS
    /// The next header begins a new stream.
    case resetParser
    /// Derive the keys off the loop, then call `derived(_:)`.
    case derive(SCRAMDerivation)
    /// Logged in: the parser's limits go from those before the login to the normal ones.
    case raiseLimits
    case established(EstablishedSession)
    /// The session of before goes on (XEP-0198 section 5).
    case resumed(ResumedSession)
    /// The token did not work, or is used up: forget it.
    case forgetToken
    /// For observers; nothing is to be done.
    case observed(NegotiationStep)
    /// Close the connection; nothing comes after this.
    case fail(SessionError)
}
