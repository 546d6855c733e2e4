public import XMPPCore

/// Hands each stanza to the modules it concerns, and answers the requests that none of them takes: each exactly once.
///
/// Whoever may not know that the account is online gets the same refusal for whatever is wrong with a request, which is also
/// what a server says for a resource that is not there (RFC 6120 section 8.3.3.19). A more precise one would tell that
/// somebody is here.
public struct StanzaRouter {
    package let modules: [any SessionModule]
    private let mayKnow: (BareJID?) -> Bool
    /// What its modules ask at this moment.
    let questions = JoinedQuestions()
    /// Few, so that looking at each is faster than a table.
    private var answering: [(namespace: String, module: any SessionModule)] = []

    /// A router over these modules.
    ///
    /// - Parameters:
    ///   - modules: In order; of two modules that name the same namespace the first one answers.
    ///   - mayKnow: Whether a sender may know that the account is online, and so what is wrong with its request; nil is the
    ///     account's server. What a module answers is the module's own decision.
    public init(modules: [any SessionModule], mayKnow: @escaping (BareJID?) -> Bool = { $0 == nil }) {
        self.modules = modules
        self.mayKnow = mayKnow
        for module in modules {
            for namespace in module.namespaces { answering.append((namespace, module)) }
        }
    }

    /// What the modules announce together (XEP-0030): each feature once, in the order of its bytes.
    public var features: [String] {
        var seen: Set<[UInt8]> = []
        return modules.flatMap(\.features).filter { seen.insert(Array($0.utf8)).inserted }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// A presence for all subscribers, with what the modules add to it.
    ///
    /// - Parameter presence: Any; only an available one without a recipient is changed (XEP-0115 section 3, XEP-0153
    ///   section 3: not each presence is the place).
    /// - Returns: The presence to send.
    public func completed(_ presence: Element) -> Element {
        guard presence.matches("presence", Namespace.client), presence[attribute: "type"] == nil,
            presence[attribute: "to"] == nil
        else { return presence }
        var presence = presence
        presence.children += modules.flatMap(\.presenceExtensions).map(Element.Node.element)
        return presence
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

    /// Refuses a request that was over the limits of the reader, so that only its head is there.
    ///
    /// - Parameter head: The request.
    /// - Returns: The answer to send, if it needs one.
    package func refuse(_ head: IQ) -> Element? {
        guard !head.isAnswer, !head.fromIsInvalid else { return nil }
        return refusal(of: head, by: .notAcceptable)
    }

    private func refusal(of iq: IQ, by condition: StanzaError.Condition) -> Element {
        StanzaError.reply(to: iq, condition: mayKnow(iq.from?.bare) ? condition : .serviceUnavailable)
    }

    private func answer(_ iq: IQ) -> Element? {
        switch iq.type {
        case .result, .error:
            // Never answered (RFC 6120 section 8.2.3): the reply came too late, or to nobody's request.
            return nil
        case .get, .set:
            guard !iq.fromIsInvalid else { return nil }
            guard iq.id != nil, let payload = iq.payload else {
                return refusal(of: iq, by: .badRequest)
            }
            guard let module = answering.first(where: { sameBytes($0.namespace, payload.namespace) })?.module else {
                return StanzaError.reply(to: iq, condition: .serviceUnavailable)
            }
            switch module.received(request: iq) {
            case .result(let payload): return iq.result(payload)
            case .error(let condition): return StanzaError.reply(to: iq, condition: condition)
            case .refused(let error, let detail): return error.reply(to: iq, detail: detail)
            case .later: return nil
            }
        case .other:
            return iq.fromIsInvalid ? nil : refusal(of: iq, by: .badRequest)
        }
    }
}
