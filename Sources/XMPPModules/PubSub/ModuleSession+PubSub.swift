public import XMPPClient
public import XMPPCore

/// The account's own nodes, and those of others.
extension ModuleSession {
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
