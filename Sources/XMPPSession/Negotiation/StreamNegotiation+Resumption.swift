import XMPPCore

// Going on with a session of before, on a stream that is logged in (XEP-0198 section 5).
extension StreamNegotiation {
    mutating func resumeOrBind(_ features: Element) -> [NegotiationAction] {
        // A refusal that came with the login is the last word.
        guard let request = configuration.resumption, failedResumption == nil,
            features.first("sm", Namespace.streamManagement) != nil
        else { return bind(features) }
        hasAskedToResume = true
        state = .resuming(request, features: features)
        return [.send(request.element.serialized(inside: Namespace.client))]
    }

    mutating func resuming(
        _ element: Element, _ request: ResumptionRequest, _ features: Element
    ) -> [NegotiationAction] {
        if let handled = request.handled(in: element) { return resume(handled) }
        guard let failed = FailedResumption(element) else {
            return fail(.unexpected("no answer to the resumption"))
        }
        failedResumption = failed
        return bind(features)
    }

    mutating func resume(_ handled: UInt32) -> [NegotiationAction] {
        state = .established
        return [.resumed(ResumedSession(handled: handled, login: login, token: token))]
    }
}
