public import XMPPClient
public import XMPPCore

/// Takes suggestions of contacts from those who are trusted with them (XEP-0144): a gateway, or a group service.
///
/// From anybody else they are counted, and nothing more: a request is answered as if there were no such feature, which is
/// announced to nobody (section 8).
public final class RosterExchangeModule: SessionModule {
    /// What came of a suggestion.
    public enum Event: Hashable, Sendable {
        /// Somebody trusted suggests these.
        case suggested(RosterExchange, from: BareJID)
        /// Somebody trusted sent what cannot be taken.
        case refused(RosterExchange.Refusal, from: BareJID)
    }

    private let isTrusted: (BareJID) -> Bool
    private let onEvent: (Event) -> Void
    /// How many suggestions came from others.
    public private(set) var ignored = 0

    /// A module.
    ///
    /// - Parameters:
    ///   - isTrusted: Whether a sender's suggestions are taken.
    ///   - onEvent: Told of these, in the order of the stream.
    public init(isTrusted: @escaping (BareJID) -> Bool, onEvent: @escaping (Event) -> Void) {
        self.isTrusted = isTrusted
        self.onEvent = onEvent
    }

    /// The namespace of XEP-0144.
    public var namespaces: [String] { [Namespace.rosterExchange] }
    /// None: capabilities are the same for everybody, and strangers are not to know.
    public var features: [String] { [] }

    /// A suggestion that wants an answer.
    public func received(request: IQ) -> IQAnswer {
        guard let sender = request.from?.bare, isTrusted(sender) else {
            count()
            return .error(.serviceUnavailable)
        }
        guard case .set = request.type, let payload = request.payload, payload.matches("x", Namespace.rosterExchange)
        else { return .error(.badRequest) }
        switch take(payload, from: sender) {
        case nil: return .result(nil)
        case .malformed: return .error(.badRequest)
        case .tooMany: return .error(.notAcceptable)
        }
    }

    /// A suggestion in a message.
    public func received(message: Message) {
        guard message.type != .error, let payload = message.element.first("x", Namespace.rosterExchange) else { return }
        guard let sender = message.from?.bare, isTrusted(sender) else { return count() }
        _ = take(payload, from: sender)
    }

    private func take(_ payload: Element, from sender: BareJID) -> RosterExchange.Refusal? {
        do throws(RosterExchange.Refusal) {
            onEvent(.suggested(try RosterExchange(payload), from: sender))
            return nil
        } catch {
            onEvent(.refused(error, from: sender))
            return error
        }
    }

    private func count() { ignored = ignored < .max ? ignored + 1 : ignored }
}
