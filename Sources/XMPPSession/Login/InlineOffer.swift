import XMPPCore

/// What a server does along with a login by SASL2 (XEP-0388 section 2.2, `<inline/>`).
struct InlineOffer: Sendable, Equatable {
    /// Binding (XEP-0386).
    var binds = false
    /// Enabling stream management with the binding (XEP-0386 section 4).
    var enablesStreamManagement = false
    /// Going on with a session of before (XEP-0198 section 9).
    var resumes = false
    /// The mechanisms that tokens are given out for (XEP-0484); nil where there are no tokens.
    var tokenMechanisms: [HashedToken.Mechanism]?
    /// The namespaces of all that is listed, for observers.
    var names: [String] = []

    init() {}

    init(features: Element) {
        guard let inline = features.first("authentication", Namespace.sasl2)?.first("inline", Namespace.sasl2) else {
            return
        }
        if let bind = inline.first("bind", Namespace.bind2) {
            binds = true
            enablesStreamManagement = (bind.first("inline", Namespace.bind2)?.elements ?? []).contains { feature in
                feature.matches("feature", Namespace.bind2)
                    && feature[attribute: "var"]?.utf8.elementsEqual(Namespace.streamManagement.utf8) == true
            }
        }
        resumes = inline.first("sm", Namespace.streamManagement) != nil
        tokenMechanisms = inline.first("fast", Namespace.fast)?.elements
            .filter { $0.matches("mechanism", Namespace.fast) }
            .compactMap { HashedToken.Mechanism($0.text) }
        names = inline.elements.map(\.namespace)
    }

    /// The best mechanism of a token that this connection could use, as XEP-0484 section 5 wants it.
    func bestTokenMechanism(_ security: ChannelSecurity, needsBinding: Bool) -> HashedToken.Mechanism? {
        HashedToken.Mechanism.byPreference.first { mechanism in
            guard tokenMechanisms?.contains(mechanism) == true else { return false }
            guard let binding = mechanism.binding else { return !needsBinding }
            return security.usableBindings.contains(binding)
        }
    }
}

/// What was asked for along with a login; nothing else is believed of the answer.
struct InlineRequest: Sendable, Equatable {
    var binds = false
    var enablesStreamManagement = false
    var resumption: ResumptionRequest?
    /// What a token that comes is for.
    var tokenMechanism: HashedToken.Mechanism?

    /// Everything that the server lists and we have a use for.
    init(_ offer: InlineOffer, resumption: ResumptionRequest?) {
        binds = offer.binds
        enablesStreamManagement = offer.binds && offer.enablesStreamManagement
        self.resumption = offer.resumes ? resumption : nil
    }

    /// The children of `<authenticate/>`; `tag` is what the server builds the resource from (XEP-0386 section 3).
    func elements(tag: String?) -> [Element] {
        var elements: [Element] = []
        if let resumption { elements.append(resumption.element) }
        if binds {
            var bind = Element("bind", namespace: Namespace.bind2)
            if let tag { bind.append(Element("tag", namespace: Namespace.bind2, children: [.text(tag)])) }
            if enablesStreamManagement {
                bind.append(
                    Element("enable", namespace: Namespace.streamManagement, attributes: [.init("resume", "true")]))
            }
            elements.append(bind)
        }
        return elements
    }
}

extension ResumptionRequest {
    /// `<resume/>` (XEP-0198 section 5).
    var element: Element {
        Element(
            "resume", namespace: Namespace.streamManagement,
            attributes: [.init("h", String(inbound)), .init("previd", id)])
    }
}

extension UserAgent {
    /// `<user-agent/>` (XEP-0388 section 2.3).
    var element: Element {
        var agent = Element("user-agent", namespace: Namespace.sasl2, attributes: [.init("id", id)])
        agent.append(Element("software", namespace: Namespace.sasl2, children: [.text(software)]))
        if let device { agent.append(Element("device", namespace: Namespace.sasl2, children: [.text(device)])) }
        return agent
    }
}

extension Element {
    fileprivate mutating func append(_ child: Element) {
        children.append(.element(child))
    }
}
