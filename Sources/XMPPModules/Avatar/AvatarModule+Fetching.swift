public import XMPPClient
public import XMPPCore

/// Asking contacts for their pictures.
extension AvatarModule {
    /// Most contacts that are asked about at a time, beside what they announce.
    public static let askingLimit = 100

    /// How long each answer is waited for where nobody asks: few are asked at a time, and one that is silent holds up others.
    static let fetchTimeout = Duration.seconds(15)

    /// How long each answer is waited for where a person asks; there are three at most.
    public static let askingTimeout = Duration.seconds(18)

    /// Fetches an announced picture: from the contact's data node, and from its vCard where it is not there.
    func fetch(_ hash: AvatarHash, of contact: BareJID, reply: @escaping (ContactAvatars.Outcome) -> Void) {
        fetchData(hash, of: contact, timeout: Self.fetchTimeout) { [weak self] image in
            if let image { return reply(.image(image)) }
            guard let self else { return reply(.interrupted) }
            fetchCard(of: contact, reply: reply)
        }
    }

    /// The picture of that hash, where the contact's data node has it.
    private func fetchData(
        _ hash: AvatarHash, of contact: BareJID, timeout: Duration, reply: @escaping (AvatarImage?) -> Void
    ) {
        guard let session, session.isOnline else { return reply(nil) }
        let node = Namespace.avatarData
        session.items(of: node, owner: contact, ids: [hash.description], timeout: timeout) { result in
            guard case .success(let items) = result, let bytes = AvatarDataPayload.bytes(in: items.first?.payload),
                let image = try? AvatarImage(bytes), image.hash == hash
            else { return reply(nil) }
            reply(image)
        }
    }

    private func fetchCard(of contact: BareJID, reply: @escaping (ContactAvatars.Outcome) -> Void) {
        guard let session, session.isOnline else { return reply(.interrupted) }
        session.vCard(of: contact, timeout: Self.fetchTimeout) { [weak self] result in
            switch result {
            case .success(let card):
                reply(card.photo?.image.map { .image($0) } ?? .absent)
            case .failure(let error) where error.code == .refused:
                reply(Self.isPassing(error) ? .silent : .absent)
            case .failure:
                reply(self?.session?.isOnline == true ? .silent : .interrupted)
            }
        }
    }

    /// Whether a refusal says nothing of the contact.
    ///
    /// Something on the way is out of order for a while (RFC 6120 section 8.3.2, `wait`); `remote-server-timeout` is that
    /// whatever type it bears (section 8.3.3.16).
    private static func isPassing(_ error: ClientError) -> Bool {
        guard let error = error.stanzaError else { return false }
        return error.kind == .wait || error.condition == .remoteServerTimeout
    }

    /// Asks a contact what picture it has now, whatever it announced, and fetches it.
    ///
    /// It is not counted against the budget, and nothing that is known keeps it from being asked.
    ///
    /// - Parameters:
    ///   - contact: Anybody.
    ///   - reply: Called once: with what the contact has, its bytes in the cache; or with an error where it did not say:
    ///     `busy` where over ``askingLimit`` contacts are being asked, `useless_reply` where it announces a picture and none
    ///     came that can be taken.
    public func ask(_ contact: BareJID, reply: @escaping (Result<ContactAvatar, ClientError>) -> Void) {
        if asking[contact] != nil {
            asking[contact]?.append(reply)
            return
        }
        guard let session, session.isOnline else { return reply(.failure(.offline)) }
        guard asking.count < Self.askingLimit else { return reply(.failure(.busy)) }
        asking[contact] = [reply]
        let (node, timeout) = (Namespace.avatarMetadata, Self.askingTimeout)
        // All that are kept: a node may hold empty ones beside the one that counts.
        session.items(of: node, owner: contact, timeout: timeout) { [weak self] result in
            guard let self else { return }
            let metadata = (try? result.get()).flatMap { AvatarMetadata.current(in: $0) }
            let isAnnounced = metadata.map { !$0.infos.isEmpty || $0.hasUnreadable } ?? false
            guard let best = metadata?.best() else { return askCard(contact, metadata, isAnnounced: isAnnounced) }
            guard !cache.contains(best.hash) else { return told(metadata, contact, best.hash) }
            fetchData(best.hash, of: contact, timeout: timeout) { [weak self] image in
                // What the node announces and does not have, the vCard may have.
                guard let image else { return self?.askCard(contact, nil, isAnnounced: true, hash: best.hash) ?? () }
                self?.cache.keep(image, of: contact)
                self?.told(metadata, contact, best.hash)
            }
        }
    }

    /// The node has a picture, and the cache too.
    private func told(_ metadata: AvatarMetadata?, _ contact: BareJID, _ hash: AvatarHash) {
        if isContact(contact) { handle(.published(metadata, by: contact)) }
        answer(contact, .success(ContactAvatar(hash, from: .pep)))
    }

    /// - Parameters:
    ///   - contact: Whom.
    ///   - metadata: What the node says, where that is to be remembered.
    ///   - isAnnounced: Whether the node says that there is a picture.
    ///   - hash: Which one, where it did not come.
    private func askCard(
        _ contact: BareJID, _ metadata: AvatarMetadata?, isAnnounced: Bool, hash: AvatarHash? = nil
    ) {
        guard let session, session.isOnline else { return answer(contact, .failure(.offline)) }
        session.vCard(of: contact, timeout: Self.askingTimeout) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let card):
                // A picture that is none to us is none to be shown, and nothing that the contact has taken away.
                let image = card.photo?.image
                if let image { cache.keep(image, of: contact) }
                if isContact(contact) {
                    if let metadata { handle(.published(metadata, by: contact)) }
                    handle(.announced(image.map { .picture($0.hash) } ?? .none, by: contact))
                }
                // To have one that is not taken is not to have none.
                let isUseless = image == nil && (isAnnounced || card.photo != nil)
                if isUseless, let hash, let now = self.session?.wallClock, isContact(contact) {
                    let end = Timestamp(milliseconds: now.milliseconds &+ ContactAvatars.wrongPause)
                    onChange(.failed(contact, hash, until: end))
                }
                answer(
                    contact,
                    isUseless ? .failure(.pictureNotTaken) : .success(ContactAvatar(image?.hash, from: .vCard)))
            case .failure(let error):
                answer(contact, .failure(error))
            }
        }
    }

    private func answer(_ contact: BareJID, _ answer: Result<ContactAvatar, ClientError>) {
        // Before those who wait are told, and in the order of the answers.
        if case .success(let avatar) = answer { onChange(.answered(contact, avatar)) }
        for reply in asking.removeValue(forKey: contact) ?? [] { reply(answer) }
    }
}
