import XMPPCore

// Resource binding (RFC 6120 section 7).
extension StreamNegotiation {
    private static let bindID = "bind"
    private static let sessionID = "session"

    mutating func bind(_ features: Element) -> [NegotiationAction] {
        guard features.first("bind", Namespace.bind) != nil else {
            return fail(.unexpected("no resource binding offered"))
        }
        var bind = Element("bind", namespace: Namespace.bind)
        if let resource = configuration.resource {
            bind.children = [
                .element(Element("resource", namespace: Namespace.bind, children: [.text(resource)]))
            ]
        }
        state = .binding(features: features)
        return [.send(IQ(.set, id: Self.bindID, payload: bind).element.serialized(inside: Namespace.client))]
    }

    mutating func bound(_ element: Element, _ features: Element) -> [NegotiationAction] {
        guard let iq = IQ(element), isAnswer(iq, to: Self.bindID) else {
            return fail(.unexpected("no answer to the resource binding"))
        }
        if let error = iq.error { return fail(.bindFailed(error)) }
        // The address is what the server says, never a guess (RFC 6120 section 4.3.6); but the certificate was checked
        // for this domain and no other.
        guard let text = iq.element.first("bind", Namespace.bind)?.first("jid", Namespace.bind)?.text,
            let jid = try? JID(text), jid.resource != nil, isOurs(jid)
        else { return fail(.unexpected("a bound address that is not one of this account's")) }
        let session = EstablishedSession(jid: jid, features: features)
        // The request of RFC 3921 does nothing on newer servers, which say so by <optional/>.
        guard let old = features.first("session", Namespace.session), old.first("optional", Namespace.session) == nil
        else { return establish(session) }
        state = .startingSession(session)
        let request = IQ(.set, id: Self.sessionID, payload: Element("session", namespace: Namespace.session))
        return [.send(request.element.serialized(inside: Namespace.client))]
    }

    mutating func sessionStarted(_ element: Element, _ session: EstablishedSession) -> [NegotiationAction] {
        guard let iq = IQ(element), isAnswer(iq, to: Self.sessionID) else {
            return fail(.unexpected("no answer to the session request"))
        }
        if let error = iq.error { return fail(.bindFailed(error)) }
        return establish(session)
    }

    /// Gives the session out, with how it came to be.
    mutating func establish(_ session: EstablishedSession) -> [NegotiationAction] {
        state = .established
        var session = session
        session.login = login
        session.token = token
        // A session of before that the server cannot go on with is as lost as one that it refuses.
        if configuration.resumption != nil { session.failedResumption = failedResumption ?? FailedResumption() }
        return [.established(session)]
    }

    /// Whether an address is one that this account may get: the local part is the server's to write, the domain is not.
    func isOurs(_ jid: JID) -> Bool {
        jid.bare.local != nil && jid.bare.domain.utf8.elementsEqual(configuration.account.domain.utf8)
    }

    private func isAnswer(_ iq: IQ, to id: String) -> Bool {
        (iq.type == .result || iq.type == .error) && iq.id?.utf8.elementsEqual(id.utf8) == true
    }
}
