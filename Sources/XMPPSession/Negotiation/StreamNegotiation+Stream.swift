import XMPPCore

// The begin and the end of our own stream (RFC 6120 sections 4.2 and 4.4).
extension StreamNegotiation {
    func header(withFrom: Bool) -> [UInt8] {
        var header = Element("stream", namespace: Namespace.client)
        header[attribute: "to"] = configuration.account.domain
        if withFrom { header[attribute: "from"] = configuration.account.description }
        header[attribute: "version"] = "1.0"
        header.attributes.append(.init("lang", namespace: Namespace.xml, "en"))
        // The tag of an empty element, opened: there is no end tag until the stream ends.
        var bytes = Array("<?xml version='1.0'?><stream:stream".utf8)
        bytes += header.serialized(inside: "").dropFirst("<stream".utf8.count).dropLast(2)
        bytes += " xmlns:stream='\(Namespace.streams)'>".utf8
        return bytes
    }

    /// Ends the negotiation, and the stream where that still is one.
    ///
    /// On a plain stream nothing is said but what is wrong with the server's XML, which is no secret: whoever is on the way
    /// has seen it or written it.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - streamError: What the server is told first, where its stream is broken (RFC 6120 section 4.9.1.1). Our header went
    ///     out before anything came, so that it needs none here (section 4.9.1.2).
    /// - Returns: What is left to do.
    mutating func fail(_ error: SessionError, saying streamError: StreamError? = nil) -> [NegotiationAction] {
        let isOpen =
            switch state {
            case .secure, .authenticating, .loggedIn, .resuming, .binding, .startingSession: true
            case .plain, .requestedTLS: streamError != nil
            // Behind the go-ahead the server takes what comes for TLS; a session's stream is its connection's to end.
            case .connecting, .securing, .established, .failed: false
            }
        state = .failed
        guard isOpen else { return [.fail(error)] }
        let told = streamError?.element.serialized(inside: Namespace.client) ?? []
        return [.send(told + Array("</stream:stream>".utf8)), .fail(error)]
    }
}
