package import DoorwardStore
package import XMPPCore
import XMPPTransport

/// A contact's picture, and where it is from.
package struct AvatarAnswer: Sendable {
    /// Where the bytes are from.
    package enum Origin: String, Sendable {
        /// The disk of this service.
        case cache
        /// The contact, asked just now.
        case server
    }

    package var row: AvatarRow
    /// Nil where the contact has none.
    package var image: AvatarImage?
    package var origin: Origin

    package init(row: AvatarRow, image: AvatarImage?, origin: Origin) {
        (self.row, self.image, self.origin) = (row, image, origin)
    }
}

/// Contacts' pictures, for operators.
extension Service {
    /// A contact's picture: the local copy, and a contact with a subscription is asked after that; where there is none, or
    /// `fresh`, it is asked first.
    ///
    /// - Parameters:
    ///   - contact: Whose.
    ///   - account: Who asks.
    ///   - fresh: Whether it is asked whatever is known.
    ///   - allowed: Who may be asked at all.
    /// - Returns: In words why there is none.
    /// - Throws: `StoreError` where what is kept cannot be read.
    package func avatar(
        of contact: BareJID, account: BareJID, fresh: Bool, asking allowed: AvatarAsking
    ) async throws -> Result<AvatarAnswer, AvatarRefusal> {
        let owner = await self.account(account)
        if !fresh, let row = try await knownAvatar(of: contact, account: account, owner), let hash = row.hash,
            let image = await avatars.image(hash)
        {
            // Unstructured: the operator has the copy, and what comes of this is kept for the next question. A stranger is
            // asked only where a person waits for it.
            if let owner { Task { await self.refresh(contact, of: owner) } }
            return .success(AvatarAnswer(row: row, image: image, origin: .cache))
        }
        guard let owner else { return .failure(.offline) }
        let asked = await owner.askAvatar(of: contact, asking: allowed)
        guard case .success(let row) = asked, let hash = row.hash else {
            return asked.map { AvatarAnswer(row: $0, image: nil, origin: .server) }
        }
        guard let image = await avatars.image(hash) else {
            return .failure(AvatarRefusal(text: "the picture came, and could not be kept"))
        }
        return .success(AvatarAnswer(row: row, image: image, origin: .server))
    }

    /// What the account has seen since the last write counts before what is on disk.
    private func knownAvatar(of contact: BareJID, account: BareJID, _ owner: Account?) async throws -> AvatarRow? {
        switch await owner?.unsavedAvatar(of: contact) {
        case .known(let row): row
        case .removed: nil
        case nil: try await store.avatar(of: contact, account: account)
        }
    }

    private func refresh(_ contact: BareJID, of account: Account) async {
        _ = await account.askAvatar(of: contact, asking: .contacts)
    }

    /// Publishes a picture as an account's own.
    ///
    /// - Returns: Nil where the server has it, else in words why not.
    package func setAvatar(_ image: AvatarImage, of account: BareJID, by name: String) async -> AvatarRefusal? {
        guard let owner = await self.account(account) else { return .offline }
        if let refusal = await owner.setAvatar(image) { return refusal }
        events(.avatarSet(account, hash: image.hash.description, operator: name))
        return nil
    }
}
