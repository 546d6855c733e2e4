public import XMPPClient
public import XMPPCore

/// vCards of the account and of others.
extension ModuleSession {
    /// Asks for a vCard (XEP-0054).
    ///
    /// Only an answer to this request counts; nothing is read of cards that nobody asked for. Who asks for a card that is being
    /// asked for shares its answer; no card is kept behind that.
    ///
    /// - Parameters:
    ///   - owner: Whose; nil for the account's own.
    ///   - timeout: How long to wait for the answer.
    ///   - reply: Called once, with the card, or an error where the server refused or did not answer in time. Who has none has
    ///     an empty one: servers say so by an empty answer or by `item-not-found` (XEP-0054 section 3).
    public func vCard(
        of owner: BareJID? = nil, timeout: Duration = Client.requestTimeout,
        reply: @escaping (Result<VCard, ClientError>) -> Void
    ) {
        askOnce(owner.map { JID($0) }, VCard.request, timeout: timeout) { result in
            switch result {
            case .success(let answer): reply(.success(answer.flatMap { VCard($0) } ?? VCard()))
            case .failure(let error) where error.stanzaError?.condition == .itemNotFound: reply(.success(VCard()))
            case .failure(let error): reply(.failure(error))
            }
        }
    }

    /// Publishes the account's vCard as a whole: what it does not hold is gone.
    ///
    /// - Parameters:
    ///   - card: Read before and changed, so that it keeps what is not known here.
    ///   - reply: Called once, after the server has answered: nil where it has the card, else why not.
    public func publish(_ card: VCard, reply: @escaping (ClientError?) -> Void) {
        request(.set, card.element) { result in
            if case .failure(let error) = result { reply(error) } else { reply(nil) }
        }
    }

    /// Asks for a vCard of RFC 6351 (XEP-0292).
    ///
    /// - Parameters:
    ///   - owner: Whose; nil for the account's own.
    ///   - reply: Called once, with the card, an empty one where none is published, or with an error.
    public func vCard4(of owner: BareJID? = nil, reply: @escaping (Result<VCard4, ClientError>) -> Void) {
        items(of: Namespace.vCard4Node, owner: owner, maximum: 1) { result in
            reply(result.map { $0.last?.payload.flatMap { VCard4($0) } ?? VCard4() })
        }
    }

    /// Publishes the account's vCard of RFC 6351 as a whole.
    ///
    /// - Parameters:
    ///   - card: Read before and changed.
    ///   - accessModel: Who may see it.
    ///   - reply: Called once, after the server has answered: nil where it has the card, else why not.
    public func publish(
        _ card: VCard4, for accessModel: PublishOptions.AccessModel = .presence,
        reply: @escaping (ClientError?) -> Void
    ) {
        publish(
            PubSubItem(id: "current", payload: card.element), at: Namespace.vCard4Node,
            options: PublishOptions(accessModel), reply: reply)
    }
}
