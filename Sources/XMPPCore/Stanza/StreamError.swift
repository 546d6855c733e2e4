/// A stream error, which always ends the stream (RFC 6120 section 4.9).
public struct StreamError: Error, Hashable, Sendable {
    /// What is wrong, as an open set: compare with the named values.
    public struct Condition: Hashable, Sendable {
        /// The name of its element.
        public let name: String

        /// XML that cannot be processed.
        public static let badFormat = Condition(name: "bad-format")
        /// A prefix without a namespace.
        public static let badNamespacePrefix = Condition(name: "bad-namespace-prefix")
        /// Another session took this one's place, or there are too many.
        public static let conflict = Condition(name: "conflict")
        /// The other side has been silent for too long.
        public static let connectionTimeout = Condition(name: "connection-timeout")
        /// The domain is served no longer.
        public static let hostGone = Condition(name: "host-gone")
        /// The domain is not served here.
        public static let hostUnknown = Condition(name: "host-unknown")
        /// A stanza without `to` or `from` where they are needed.
        public static let improperAddressing = Condition(name: "improper-addressing")
        /// Something broke at the server.
        public static let internalServerError = Condition(name: "internal-server-error")
        /// A `from` that is not ours.
        public static let invalidFrom = Condition(name: "invalid-from")
        /// A namespace that is not the right one.
        public static let invalidNamespace = Condition(name: "invalid-namespace")
        /// XML that does not conform to its schema.
        public static let invalidXML = Condition(name: "invalid-xml")
        /// Something sent before the login, or the account is gone.
        public static let notAuthorized = Condition(name: "not-authorized")
        /// XML that is not well-formed.
        public static let notWellFormed = Condition(name: "not-well-formed")
        /// Against a policy: too big, too fast.
        public static let policyViolation = Condition(name: "policy-violation")
        /// The server cannot reach another.
        public static let remoteConnectionFailed = Condition(name: "remote-connection-failed")
        /// Start again from the beginning.
        public static let reset = Condition(name: "reset")
        /// Too busy.
        public static let resourceConstraint = Condition(name: "resource-constraint")
        /// A comment, processing instruction, DTD or entity.
        public static let restrictedXML = Condition(name: "restricted-xml")
        /// To be found elsewhere.
        public static let seeOtherHost = Condition(name: "see-other-host")
        /// The server stops.
        public static let systemShutdown = Condition(name: "system-shutdown")
        /// None of the others; also for names that RFC 6120 does not know.
        public static let undefinedCondition = Condition(name: "undefined-condition")
        /// Not UTF-8.
        public static let unsupportedEncoding = Condition(name: "unsupported-encoding")
        /// A needed feature that the other side does not have.
        public static let unsupportedFeature = Condition(name: "unsupported-feature")
        /// A first-level element that is no stanza.
        public static let unsupportedStanzaType = Condition(name: "unsupported-stanza-type")
        /// Not XMPP 1.0.
        public static let unsupportedVersion = Condition(name: "unsupported-version")

        package static let all: [Condition] = [
            .badFormat, .badNamespacePrefix, .conflict, .connectionTimeout, .hostGone, .hostUnknown,
            .improperAddressing, .internalServerError, .invalidFrom, .invalidNamespace, .invalidXML, .notAuthorized,
            .notWellFormed, .policyViolation, .remoteConnectionFailed, .reset, .resourceConstraint, .restrictedXML,
            .seeOtherHost, .systemShutdown, .undefinedCondition, .unsupportedEncoding, .unsupportedFeature,
            .unsupportedStanzaType, .unsupportedVersion,
        ]
    }

    /// What is wrong.
    public var condition: Condition
    /// What the other side says about it: never shown and never for program logic.
    public var text: String?

    /// Where else to go, as the server wrote it inside `<see-other-host/>` (RFC 6120 section 4.9.3.19).
    package var otherHost: String?

    /// An error.
    ///
    /// - Parameters:
    ///   - condition: What is wrong.
    ///   - text: An explanation in words.
    public init(_ condition: Condition, text: String? = nil) {
        self.condition = condition
        self.text = text
    }

    /// Reads a `<stream:error/>`; nil where the element is none.
    public init?(_ element: Element) {
        guard element.matches("error", Namespace.streams) else { return nil }
        var found: Condition?
        var host: String?
        for child in element.elements where sameBytes(child.namespace, Namespace.streamErrors) {
            if sameBytes(child.name, "text") {
                text = text ?? child.text
            } else if found == nil {
                found = Condition.all.first { sameBytes($0.name, child.name) }
                if found == .seeOtherHost, !child.text.isEmpty { host = child.text }
            }
        }
        condition = found ?? .undefinedCondition
        otherHost = host
    }

    /// The `<stream:error/>`.
    public var element: Element {
        let content = otherHost.map { [Element.Node.text($0)] } ?? []
        var children: [Element.Node] = [
            .element(Element(condition.name, namespace: Namespace.streamErrors, children: content))
        ]
        if let text {
            children.append(
                .element(Element("text", namespace: Namespace.streamErrors, children: [.text(text)]))
            )
        }
        return Element("error", namespace: Namespace.streams, children: children)
    }
}

extension StreamError: CustomStringConvertible {
    /// The condition, without the other side's words.
    public var description: String { "stream error \(condition.name)" }
}
