import XMPPSession

/// What the end of a connection means for the next one.
extension SessionEnd {
    /// Whether a pause may heal it.
    var retry: SessionError.RetryAdvice {
        switch cause {
        case .stopped, .abandoned, .unusable: .park
        case .lost, .unreachable, .notOffered: .retry
        case .session(let error): error.retry
        }
    }

    /// How long the pause is to be.
    var reason: Backoff.Reason {
        switch cause {
        case .notOffered: .notOffered
        case .session(let error) where error.concernsServer: .server
        case .lost, .unreachable: .link
        case .stopped, .abandoned, .unusable, .session: .own
        }
    }
}
