public import XMPPClient
public import XMPPCore

extension ModuleSession {
    /// Publishes the account's picture at its nodes: the bytes first, so that who is told of it can ask for it at once
    /// (XEP-0084 section 3.1), for everybody to see.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - reply: Called once, after the server has answered: nil where it has both, else why not.
    public func publish(_ image: AvatarImage, reply: @escaping (ClientError?) -> Void) {
        let id = image.hash.description
        let options = PublishOptions(.open)
        let data = PubSubItem(id: id, payload: AvatarDataPayload.element(image))
        publish(data, at: Namespace.avatarData, options: options) { error in
            guard error == nil else { return reply(error) }
            let metadata = PubSubItem(id: id, payload: AvatarMetadata(image).element)
            publish(metadata, at: Namespace.avatarMetadata, options: options, reply: reply)
        }
    }

    /// Says that the account has no picture (XEP-0084 section 3.5).
    ///
    /// - Parameter reply: Called once, after the server has answered: nil where it knows, else why not.
    public func withdrawAvatar(reply: @escaping (ClientError?) -> Void) {
        let metadata = PubSubItem(id: nil, payload: AvatarMetadata(nil).element)
        publish(metadata, at: Namespace.avatarMetadata, options: PublishOptions(.open), reply: reply)
    }
}
