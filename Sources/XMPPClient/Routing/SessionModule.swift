public import XMPPCore

/// A feature of an account: it answers the requests of its namespaces, and sees presences and messages.
///
/// A module lives in its account's isolation: its methods are called in the order of the stream, one at a time, and
/// must not block. It answers by returning; what it sends on its own goes through the session that it was told of, or
/// through the account.
public protocol SessionModule: AnyObject {
    /// The namespaces of the request payloads it answers.
    var namespaces: [String] { get }

    /// What service discovery announces of it (XEP-0030); its namespaces where nothing else is said.
    var features: [String] { get }

    /// What it adds to each presence that tells all subscribers the account is available; none where nothing is said.
    ///
    /// Asked anew each time. Where it has changed, `ModuleSession.announce()` sends the presence again.
    var presenceExtensions: [Element] { get }

    /// A session began or goes on, with a `Client`: before its presence is sent, and before anything arrives in it.
    ///
    /// - Parameter session: By it the module asks and sends, until the next one comes.
    func began(_ session: ModuleSession)

    /// A `get` or `set` request with a payload in one of its namespaces.
    ///
    /// - Parameter request: The request; its sender is what the server says, nil for the account's own server.
    /// - Returns: The answer. A request always gets one (RFC 6120 section 8.2.3).
    func received(request: IQ) -> IQAnswer

    /// A presence, of any type.
    func received(presence: Presence)

    /// A message, of any type.
    func received(message: Message)
}

extension SessionModule {
    /// What it answers.
    public var features: [String] { namespaces }
    /// Nothing is added.
    public var presenceExtensions: [Element] { [] }
    /// Nothing is to be done.
    public func began(_ session: ModuleSession) {}
    /// Refuses: a module that names no namespace gets no request.
    public func received(request: IQ) -> IQAnswer { .error(.serviceUnavailable) }
    /// Lets it pass.
    public func received(presence: Presence) {}
    /// Lets it pass.
    public func received(message: Message) {}
}

/// The answer to a request.
public enum IQAnswer: Sendable {
    /// Done, with a payload where there is one.
    case result(Element?)
    /// Refused; by `serviceUnavailable` where any other would tell a stranger that somebody is here (RFC 6120 section
    /// 8.3.3.19).
    case error(StanzaError.Condition)
    /// Refused, with what the protocol of the request says beside the condition (RFC 6120 section 8.3.4).
    indirect case refused(StanzaError, detail: Element?)
    /// The module answers by itself later: once, and in any case, by `ModuleSession.send` with what `IQ.result` or
    /// `StanzaError.reply` makes.
    case later
}
