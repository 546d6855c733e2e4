public import XMPPCore

/// Hands each stanza to the modules it concerns, and answers the requests that none of them takes.
public struct StanzaRouter {
    private let modules: [any XMPPModule]
    /// Few, so that looking at each is faster than a table.
    private var answering: [(namespace: String, module: any XMPPModule)] = []

    /// A router over these modules.
    ///
    /// - Parameter modules: In order; of two modules that name the same namespace the first one answers.
    public init(modules: [any XMPPModule]) {
        self.modules = modules
        for module in modules {
            for namespace in module.namespaces { answering.append((namespace, module)) }
        }
    }

    /// Routes one stanza.
    ///
    /// - Parameter stanza: What the server sent, replies to our requests taken out.
    /// - Returns: The answer to send, if the stanza needs one.
    public func route(_ stanza: Stanza) -> Element? {
        switch stanza {
        case .presence(let presence):
            // A sender that is no address identifies nobody.
            guard !presence.fromIsInvalid else { return nil }
            for module in modules { module.received(presence: presence) }
            return nil
        case .message(let message):
            guard !message.fromIsInvalid else { return nil }
            for module in modules { module.received(message: message) }
            return nil
        case .iq(let iq):
            return answer(iq)
        }
    }

    private func answer(_ iq: IQ) -> Element? {
        switch iq.type {
        case .result, .error:
            // Never answered (RFC 6120 section 8.2.3): the reply came too late, or to nobody's request.
            return nil
        case .get, .set:
            guard !iq.fromIsInvalid else { return nil }
            guard iq.id != nil, let payload = iq.payload else {
                return StanzaError.reply(to: iq, condition: .badRequest)
            }
            guard let module = answering.first(where: { sameBytes($0.namespace, payload.namespace) })?.module else {
                return StanzaError.reply(to: iq, condition: .serviceUnavailable)
            }
            switch module.received(request: iq) {
            case .result(let payload): return iq.result(payload)
            case .error(let condition): return StanzaError.reply(to: iq, condition: condition)
            case .silence: return nil
            }
        case .other:
            return iq.fromIsInvalid ? nil : StanzaError.reply(to: iq, condition: .badRequest)
        }
    }
}
