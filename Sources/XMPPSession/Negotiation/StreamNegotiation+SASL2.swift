import XMPPCore
import XMPPCrypto

// What comes with the success of SASL2 (XEP-0388 section 2.6): there is no new stream, and perhaps no binding to be done.
extension StreamNegotiation {
    /// Takes the rest of `<success/>`, whose children come in any order; the server has proved itself.
    mutating func loggedIn(
        _ success: Element, _ attempt: Authentication
    ) throws(SessionError) -> [NegotiationAction] {
        let jid = try identity(success)
        token = newToken(success, attempt.request)
        let bound = success.first("bound", Namespace.bind2)
        guard bound == nil || attempt.request.binds else {
            throw .unexpected("a bound resource that was not asked for")
        }
        if let resumed = success.first("resumed", Namespace.streamManagement) {
            guard bound == nil, let handled = attempt.request.resumption?.handled(in: resumed) else {
                throw .unexpected("a resumption that was not asked for")
            }
            return resume(handled)
        }
        if attempt.request.resumption != nil,
            let failed = success.first("failed", Namespace.streamManagement).flatMap({ FailedResumption($0) })
        {
            failedResumption = failed
        }
        if success.first("failed", Namespace.bind2) != nil {
            // Why, XEP-0386 does not say: nothing tells that a person must mend it.
            throw .bindFailed(StanzaError(.undefinedCondition, kind: .wait))
        }
        guard let bound else {
            // What the server does not know it ignores; then all is done as without it, on the features that follow.
            state = .loggedIn(.features)
            return []
        }
        guard let jid, jid.resource != nil else {
            throw .unexpected("a bound resource without an address")
        }
        let start = bound.first("enabled", Namespace.streamManagement).flatMap { StreamManagementStart($0) }
        guard start == nil || attempt.request.enablesStreamManagement else {
            throw .unexpected("stream management that was not asked for")
        }
        var session = EstablishedSession(jid: jid, features: attempt.features, streamManagement: start)
        session.awaitsFeatures = true
        return establish(session)
    }

    /// Whom the server takes us for; nil where it does not say.
    private func identity(_ success: Element) throws(SessionError) -> JID? {
        guard let text = success.first("authorization-identifier", Namespace.sasl2)?.text else { return nil }
        guard let jid = try? JID(text), isOurs(jid) else {
            throw .unexpected("an address that is not one of this account's")
        }
        return jid
    }

    /// A token in the answer to a request for one, or in place of the one that was used.
    private func newToken(_ success: Element, _ request: InlineRequest) -> FASTToken? {
        guard let mechanism = request.tokenMechanism, let element = success.first("token", Namespace.fast),
            let token = element[attribute: "token"], (1...1024).contains(token.utf8.count)
        else { return nil }
        return FASTToken(
            mechanism: mechanism.name, token: Secret(token), expiry: element[attribute: "expiry"] ?? "")
    }
}
