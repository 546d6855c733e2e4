import XMPPCore

extension SessionError {
    /// Whether every session of the server is likely to have ended by the same, or to fail by it: then all its accounts
    /// come back together, and are to be spread (RFC 6120 section 3.3).
    ///
    /// Not what a person must mend, and not what one account may have caused by what it sent or received.
    package var concernsServer: Bool {
        guard retry == .retry else { return false }
        switch code {
        case .streamError: return streamError.map { StreamErrorAdvice.of($0.condition).concernsServer } ?? false
        // The server cannot check passwords just now.
        case .authenticationFailed: return condition == SASLCondition.temporaryAuthFailure.rawValue
        // Tried again only where something broke at the server, or it is too busy.
        case .bindFailed, .closedByServer, .tlsNotOffered, .tlsRefused, .plaintextAfterStartTLS: return true
        case _: return false
        }
    }
}
