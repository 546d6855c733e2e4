public import XMPPClient
import XMPPCore

/// Publishing at the account's own nodes.
extension ModuleSession {
    /// Publishes an item at a node of the account, and sees to it that the node is what the options say, before anything
    /// stands in it.
    ///
    /// A server that does not announce that it heeds what publishers demand (`pubsub#publish-options`) passes it over, and
    /// makes a node for whoever its default says. There the node is made and configured first, and its configuration read
    /// back; nothing is published where that is not what was demanded (XEP-0223 section 5).
    ///
    /// Elsewhere a node that is there and is another refuses (`precondition-not-met`, XEP-0060 section 7.1.5): it is then
    /// configured and the item published again, once.
    ///
    /// - Parameters:
    ///   - item: What.
    ///   - node: Where.
    ///   - options: What the node must be like.
    ///   - reply: Called once, after the server's last answer: nil where it has the item, else why not.
    public func publish(
        _ item: PubSubItem, at node: String, options: PublishOptions, reply: @escaping (ClientError?) -> Void
    ) {
        request(.get, to: JID(address.bare), DiscoPayload.info()) { result in
            let heedsOptions: Bool
            switch result {
            case .success(let query):
                let features = query.map(DiscoPayload.features) ?? []
                heedsOptions = features.contains(Array(Namespace.publishOptions.utf8))
            // A server that says nothing of itself announces nothing either.
            case .failure(let error) where error.code == .refused: heedsOptions = false
            case .failure(let error): return reply(error)
            }
            guard !heedsOptions else { return publishDemanding(item, node, options, reply) }
            prepare(node, options) { error in
                if let error { return reply(error) }
                order(PubSubPayload.publish(item, at: node), reply)
            }
        }
    }

    private func publishDemanding(
        _ item: PubSubItem, _ node: String, _ options: PublishOptions, _ reply: @escaping (ClientError?) -> Void
    ) {
        let payload = PubSubPayload.publish(item, at: node, options: options)
        order(payload) { error in
            // No other reason for a conflict is known of a publication (XEP-0060 section 7.1.3).
            guard error?.stanzaError?.condition == .conflict else { return reply(error) }
            order(PubSubPayload.configure(node, options)) { error in
                if let error { return reply(error) }
                order(payload, reply)
            }
        }
    }

    /// Makes a node what it must be, and reads it back.
    private func prepare(_ node: String, _ options: PublishOptions, _ reply: @escaping (ClientError?) -> Void) {
        order(PubSubPayload.configure(node, options)) { error in
            guard let error else { return verify(node, options, reply) }
            guard error.stanzaError?.condition == .itemNotFound else { return reply(error) }
            order(PubSubPayload.create(node, options)) { error in
                if let error { return reply(error) }
                verify(node, options, reply)
            }
        }
    }

    private func verify(_ node: String, _ options: PublishOptions, _ reply: @escaping (ClientError?) -> Void) {
        request(.get, PubSubPayload.configuration(of: node)) { result in
            switch result {
            case .success(let answer):
                let form = PubSubPayload.configuration(in: answer, of: node)
                reply(form.map { options.areMet(by: $0) } == true ? nil : .accessNotAssured)
            case .failure(let error): reply(error)
            }
        }
    }

    private func order(_ payload: Element, _ reply: @escaping (ClientError?) -> Void) {
        request(.set, payload) { result in
            if case .failure(let error) = result { reply(error) } else { reply(nil) }
        }
    }
}
