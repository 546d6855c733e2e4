import XMPPClient
import XMPPSession

extension RestartPolicy.Failure {
    init(_ end: SessionEnd) {
        switch end.cause {
        case .stopped, .abandoned: self = .account
        case .lost, .unreachable: self = .host
        case .notOffered: self = .absent
        case .unusable: self = .permanent
        case .session(let error):
            switch error.retry {
            case .retry: self = error.concernsServer ? .host : .account
            case .retryWithNewResource: self = .conflict
            case .park: self = .permanent
            }
        }
    }
}
