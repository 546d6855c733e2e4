/// A stanza error (RFC 6120 section 8.3).
public struct StanzaError: Error, Hashable, Sendable {
    /// What can be done about it (RFC 6120 section 8.3.2).
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Try again with credentials.
        case auth
        /// Do not try again.
        case cancel
        /// It was a warning.
        case `continue`
        /// Change what was sent and try again.
        case modify
        /// Try again later.
        case wait
    }

    /// What is wrong, as an open set: compare with the named values.
    public struct Condition: Hashable, Sendable {
        /// The name of its element.
        public let name: String
        let kind: Kind

        /// Malformed.
        public static let badRequest = Condition(name: "bad-request", kind: .modify)
        /// There is one of that name already.
        public static let conflict = Condition(name: "conflict", kind: .cancel)
        /// Not built.
        public static let featureNotImplemented = Condition(name: "feature-not-implemented", kind: .cancel)
        /// Not with these rights.
        public static let forbidden = Condition(name: "forbidden", kind: .auth)
        /// Moved for good.
        public static let gone = Condition(name: "gone", kind: .cancel)
        /// Something broke at the other side.
        public static let internalServerError = Condition(name: "internal-server-error", kind: .cancel)
        /// There is none.
        public static let itemNotFound = Condition(name: "item-not-found", kind: .cancel)
        /// An address that is none.
        public static let jidMalformed = Condition(name: "jid-malformed", kind: .modify)
        /// Against the rules of the other side.
        public static let notAcceptable = Condition(name: "not-acceptable", kind: .modify)
        /// Nobody may do that.
        public static let notAllowed = Condition(name: "not-allowed", kind: .cancel)
        /// Log in first.
        public static let notAuthorized = Condition(name: "not-authorized", kind: .auth)
        /// Against a policy.
        public static let policyViolation = Condition(name: "policy-violation", kind: .modify)
        /// Not there now.
        public static let recipientUnavailable = Condition(name: "recipient-unavailable", kind: .wait)
        /// To be found elsewhere.
        public static let redirect = Condition(name: "redirect", kind: .modify)
        /// Register first.
        public static let registrationRequired = Condition(name: "registration-required", kind: .auth)
        /// No such server.
        public static let remoteServerNotFound = Condition(name: "remote-server-not-found", kind: .cancel)
        /// The other server is silent.
        public static let remoteServerTimeout = Condition(name: "remote-server-timeout", kind: .wait)
        /// Too busy.
        public static let resourceConstraint = Condition(name: "resource-constraint", kind: .wait)
        /// Not offered, or nobody there.
        public static let serviceUnavailable = Condition(name: "service-unavailable", kind: .cancel)
        /// Subscribe first.
        public static let subscriptionRequired = Condition(name: "subscription-required", kind: .auth)
        /// None of the others; also for names that RFC 6120 does not know.
        public static let undefinedCondition = Condition(name: "undefined-condition", kind: .cancel)
        /// Out of order.
        public static let unexpectedRequest = Condition(name: "unexpected-request", kind: .wait)

        static let all: [Condition] = [
            .badRequest, .conflict, .featureNotImplemented, .forbidden, .gone, .internalServerError, .itemNotFound,
            .jidMalformed, .notAcceptable, .notAllowed, .notAuthorized, .policyViolation, .recipientUnavailable,
            .redirect, .registrationRequired, .remoteServerNotFound, .remoteServerTimeout, .resourceConstraint,
            .serviceUnavailable, .subscriptionRequired, .undefinedCondition, .unexpectedRequest,
        ]
    }

    /// What can be done about it.
    public var kind: Kind
    /// What is wrong.
    public var condition: Condition
    /// What the other side says about it: for logs at most, never for program logic.
    public var text: String?
    /// Of `gone` and `redirect`, the URI where to look instead (RFC 6120 sections 8.3.3.5 and 8.3.3.14).
    public var address: String?

    /// An error to send.
    ///
    /// - Parameters:
    ///   - condition: What is wrong.
    ///   - kind: What can be done about it; nil for the condition's usual one.
    ///   - text: An explanation in words.
    public init(_ condition: Condition, kind: Kind? = nil, text: String? = nil) {
        self.condition = condition
        self.kind = kind ?? condition.kind
        self.text = text
    }

    /// Reads an `<error/>`; what is missing or unknown is taken as RFC 6120 says.
    public init(_ element: Element) {
        var found: Condition?
        for child in element.elements where sameBytes(child.namespace, Namespace.stanzaErrors) {
            if sameBytes(child.name, "text") {
                text = text ?? child.text
            } else if found == nil {
                found = Condition.all.first { sameBytes($0.name, child.name) }
                if found == .gone || found == .redirect { address = child.text.isEmpty ? nil : child.text }
            }
        }
        let condition = found ?? .undefinedCondition
        self.condition = condition
        let type = element[attribute: "type"]
        kind = Kind.allCases.first { sameBytes($0.rawValue, type) } ?? condition.kind
    }

    /// The `<error/>`.
    public var element: Element {
        var children: [Element.Node] = [
            .element(Element(condition.name, namespace: Namespace.stanzaErrors))
        ]
        if let text {
            children.append(
                .element(Element("text", namespace: Namespace.stanzaErrors, children: [.text(text)]))
            )
        }
        return Element(
            "error",
            namespace: Namespace.client,
            attributes: [.init("type", kind.rawValue)],
            children: children
        )
    }

    /// The answer to a request that cannot be done; the caller sees to it that no error answers an answer.
    ///
    /// - Parameters:
    ///   - iq: The request.
    ///   - condition: What is wrong.
    ///   - kind: What can be done about it; nil for the condition's usual one.
    ///   - text: An explanation in words.
    /// - Returns: The whole stanza.
    public static func reply(
        to iq: IQ,
        condition: Condition,
        kind: Kind? = nil,
        text: String? = nil
    ) -> Element {
        StanzaError(condition, kind: kind, text: text).reply(to: iq)
    }

    /// This error as the answer to a request.
    ///
    /// - Parameters:
    ///   - iq: The request.
    ///   - detail: What the protocol of the request says beside the condition (RFC 6120 section 8.3.4).
    /// - Returns: The whole stanza.
    public func reply(to iq: IQ, detail: Element? = nil) -> Element {
        var error = element
        if let detail { error.children.append(.element(detail)) }
        return iq.answer(type: "error", children: [error])
    }
}

extension StanzaError: CustomStringConvertible {
    /// The condition, without the other side's words.
    public var description: String { "\(condition.name) (\(kind.rawValue))" }
}
