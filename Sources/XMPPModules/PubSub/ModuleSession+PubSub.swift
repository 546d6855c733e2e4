public import XMPPClient
public import XMPPCore

/// The account's own nodes, and those of others.
extension ModuleSession {
    /// Publishes an item at a node of the account, and sees to it that the node is what the options say.
    ///
    /// A node that is there and is another refuses (`precondition-not-met`, XEP-0060 section 7.1.5): it is then configured
    /// and the item published again, once.
    ///
    /// - Parameters:
    ///   - item: What.
    ///   - node: Where.
    ///   - options: What the node must be like.
    ///   - reply: Called once, after the server's last answer: nil where it has the item, else why not.
    public func publish(
        _ item: PubSubItem, at node: String, options: PublishOptions, reply: @escaping (ClientError?) -> Void
    ) {
        let payload = PubSubPayload.publish(item, at: node, options: options)
        request(.set, payload) { result in
            guard case .failure(let error) = result else { return reply(nil) }
            // No other reason for a conflict is known of a publication (XEP-0060 section 7.1.3).
            guard error.stanzaError?.condition == .conflict else { return reply(error) }
            request(.set, PubSubPayload.configure(node, options)) { result in
                if case .failure(let error) = result { return reply(error) }
                request(.set, payload) { result in
                    if case .failure(let error) = result { reply(error) } else { reply(nil) }
                }
            }
        }
    }

    /// Asks for the items of a node.
    ///
    /// - Parameters:
    ///   - node: Which.
    ///   - owner: Whose; nil for the account's own.
    ///   - ids: Which ones; none asks for the latest.
    ///   - maximum: How many of the latest at most; nil for all that are kept.
    ///   - timeout: How long to wait for the answer.
    ///   - reply: Called once, with the items, none where nothing is published (a node that is not there holds nothing
    ///     either), or with an error.
    public func items(
        of node: String, owner: BareJID? = nil, ids: [String] = [], maximum: Int? = nil,
        timeout: Duration = Client.requestTimeout,
        reply: @escaping (Result<[PubSubItem], ClientError>) -> Void
    ) {
        let payload = PubSubPayload.items(of: node, ids: ids, maximum: maximum)
        request(.get, to: owner.map { JID($0) }, payload, timeout: timeout) { result in
            switch result {
            case .success(let answer): reply(.success(PubSubPayload.items(in: answer, of: node)))
            case .failure(let error) where error.stanzaError?.condition == .itemNotFound: reply(.success([]))
            case .failure(let error): reply(.failure(error))
            }
        }
    }
}
