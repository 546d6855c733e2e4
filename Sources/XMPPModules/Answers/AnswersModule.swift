public import XMPPClient
public import XMPPCore

/// Answers what time it is here (XEP-0202), which program runs (XEP-0092) and how long it has been idle (XEP-0012).
///
/// Only what is allowed is answered and announced, and only to those who may know that the account is online
/// (``RosterModule/mayKnow(_:)``); all else is refused as anything unknown is.
public final class AnswersModule: SessionModule {
    private let kinds: () -> Set<AnswerKind>
    private let name: String
    private let version: String
    private let idleSeconds: () -> Int
    private let mayKnow: (BareJID?) -> Bool
    private var session: ModuleSession?

    /// A module.
    ///
    /// - Parameters:
    ///   - kinds: What is answered; asked anew each time. Where it has changed, ``CapsModule/refresh()`` tells others.
    ///   - name: Of the program.
    ///   - version: Of the program.
    ///   - idleSeconds: How long the account has done nothing; a bot is always at work.
    ///   - mayKnow: Whether the sender may know that the account is online; nil is the account's server.
    public init(
        _ kinds: @escaping () -> Set<AnswerKind>, name: String, version: String,
        idleSeconds: @escaping () -> Int = { 0 },
        mayKnow: @escaping (BareJID?) -> Bool
    ) {
        (self.kinds, self.name, self.version) = (kinds, name, version)
        (self.idleSeconds, self.mayKnow) = (idleSeconds, mayKnow)
    }

    /// Those of all kinds: what is not allowed is refused as it would be without the module.
    public var namespaces: [String] { AnswerKind.allCases.map(Self.namespace) }
    /// Those of what is answered.
    public var features: [String] { AnswerKind.allCases.filter(kinds().contains).map(Self.namespace) }

    /// By it the time is known.
    public func began(_ session: ModuleSession) { self.session = session }

    /// Answers.
    public func received(request: IQ) -> IQAnswer {
        guard mayKnow(request.from?.bare), let payload = request.payload,
            let kind = kinds().first(where: { sameBytes(Self.namespace($0), payload.namespace) })
        else { return .error(.serviceUnavailable) }
        guard case .get = request.type, sameBytes(payload.name, kind == .time ? "time" : "query") else {
            return .error(.badRequest)
        }
        switch kind {
        case .time:
            guard let session else { return .error(.serviceUnavailable) }
            // Where the machine stands is nobody's business.
            return .result(
                Self.element("time", Namespace.time, [("tzo", "+00:00"), ("utc", session.wallClock.description)]))
        case .version:
            return .result(Self.element("query", Namespace.version, [("name", name), ("version", version)]))
        case .last:
            let seconds = "\(max(0, idleSeconds()))"
            return .result(
                Element("query", namespace: Namespace.lastActivity, attributes: [.init("seconds", seconds)]))
        }
    }

    private static func namespace(_ kind: AnswerKind) -> String {
        switch kind {
        case .time: Namespace.time
        case .version: Namespace.version
        case .last: Namespace.lastActivity
        }
    }

    private static func element(_ name: String, _ namespace: String, _ children: [(String, String)]) -> Element {
        Element(
            name, namespace: namespace,
            children: children.map {
                .element(Element($0.0, namespace: namespace, children: [.text($0.1)]))
            })
    }
}
