public import XMPPClient
public import XMPPCore

/// Asking contacts for their pictures.
extension AvatarModule {
    /// Most contacts that are asked about at a time, beside what they announce.
    public static let askingLimit = 100

    /// Fetches an announced picture: from the contact's data node, and from its vCard where it is not there.
    func fetch(_ hash: AvatarHash, of contact: BareJID, reply: @escaping (ContactAvatars.Outcome) -> Void) {
        guard let session, session.isOnline else { return reply(.interrupted) }
        session.items(of: Namespace.avatarData, owner: contact, ids: [hash.description]) { [weak self] result in
            // More than one would be no answer to what was asked.
            if case .success(let items) = result,
                let bytes = AvatarDataPayload.bytes(in: items.first?.payload), let image = try? AvatarImage(bytes),
                image.hash == hash
            {
                return reply(.image(image))
            }
            guard let self else { return reply(.interrupted) }
            fetchCard(of: contact, reply: reply)
        }
    }

    private func fetchCard(of contact: BareJID, reply: @escaping (ContactAvatars.Outcome) -> Void) {
        guard let session, session.isOnline else { return reply(.interrupted) }
        session.vCard(of: contact) { [weak self] result in
            switch result {
            case .success(let card):
                reply(card.photo?.image.map { .image($0) } ?? .absent)
            case .failure(let error) where error.code == .refused:
                reply(.absent)
            case .failure:
                reply(self?.session?.isOnline == true ? .silent : .interrupted)
            }
        }
    }

    /// Asks a contact what picture it has now, whatever it announced, and fetches it.
    ///
    /// It is not counted against the budget, and nothing that is known keeps it from being asked.
    ///
    /// - Parameters:
    ///   - contact: Anybody.
    ///   - reply: Called once: with what the contact has, its bytes in the cache; or with an error where it did not say:
    ///     `busy` where over ``askingLimit`` contacts are being asked.
    public func ask(_ contact: BareJID, reply: @escaping (Result<ContactAvatar, ClientError>) -> Void) {
        if asking[contact] != nil {
            asking[contact]?.append(reply)
            return
        }
        guard let session, session.isOnline else { return reply(.failure(.offline)) }
        guard asking.count < Self.askingLimit else { return reply(.failure(.busy)) }
        asking[contact] = [reply]
        session.items(of: Namespace.avatarMetadata, owner: contact, maximum: 1) { [weak self] result in
            guard let self else { return }
            let metadata = try? result.map { AvatarMetadata.current(in: $0) }.get()
            guard let best = metadata?.best() else { return askCard(contact, metadata) }
            guard !cache.contains(best.hash) else { return told(metadata, contact, best.hash) }
            fetch(best.hash, of: contact) { [weak self] outcome in
                guard let self else { return }
                if case .image(let image) = outcome, image.hash == best.hash {
                    cache.keep(image)
                    told(metadata, contact, best.hash)
                } else {
                    // What the node announces is not there: the vCard says what is.
                    askCard(contact, nil)
                }
            }
        }
    }

    /// The node has a picture, and the cache too.
    private func told(_ metadata: AvatarMetadata?, _ contact: BareJID, _ hash: AvatarHash) {
        if isContact(contact) { handle(.published(metadata, by: contact)) }
        answer(contact, .success(ContactAvatar(hash, from: .pep)))
    }

    private func askCard(_ contact: BareJID, _ metadata: AvatarMetadata?) {
        guard let session, session.isOnline else { return answer(contact, .failure(.offline)) }
        session.vCard(of: contact) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let card):
                // A picture that is none to us is none to be shown, and nothing that the contact has taken away.
                let image = card.photo?.image
                if let image { cache.keep(image) }
                if isContact(contact) {
                    if let metadata { handle(.published(metadata, by: contact)) }
                    handle(.announced(image.map { .picture($0.hash) } ?? .none, by: contact))
                }
                answer(contact, .success(ContactAvatar(image?.hash, from: .vCard)))
            case .failure(let error):
                answer(contact, .failure(error))
            }
        }
    }

    private func answer(_ contact: BareJID, _ answer: Result<ContactAvatar, ClientError>) {
        for reply in asking.removeValue(forKey: contact) ?? [] { reply(answer) }
    }
}
