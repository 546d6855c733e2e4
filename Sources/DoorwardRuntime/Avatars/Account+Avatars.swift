import DoorwardConfig
import DoorwardPolicy
package import DoorwardStore
import XMPPClient
package import XMPPCore
import XMPPModules
import XMPPTransport

/// What an account says of itself, and the pictures of its contacts.
extension Account {
    /// What has become known of pictures is written after that, in one transaction.
    private static let avatarDelay = Duration.seconds(2)
    /// Or when it is of so many contacts.
    private static let avatarBatch = 500
    private static let largeBatch = 32

    // MARK: Contacts

    func makeAvatarModule(_ session: AccountSession) -> AvatarModule {
        let module = AvatarModule(
            account: jid, cache: AccountAvatarCache(environment.avatars, loop: loop), waitsForRestore: true,
            isContact: { [unowned self] in mayAsk($0, .contacts) },
            onChange: { [unowned self] change in avatarChanged(change) })
        // Unstructured: a login does not wait for it, and what is announced until then waits in the module.
        Task.immediate { await self.restoreAvatars(to: module) }
        return module
    }

    private func restoreAvatars(to module: AvatarModule) async {
        // Without what was known, all of it is looked at anew; the pictures themselves are there.
        let rows = (try? await environment.store.avatars(of: jid)) ?? []
        for row in rows {
            let avatar = row.source.map { ContactAvatar(row.hash, from: $0 == .pep ? .pep : .vCard) }
            let failure = row.failure.map { ContactAvatars.Failure(hash: $0.hash, until: $0.until) }
            let isRecent = now.milliseconds - row.checkedAt.milliseconds < ContactAvatars.contactPause
            module.restore(row.contact, avatar, failure: failure, askedAt: isRecent ? row.checkedAt : nil)
        }
        module.restored()
    }

    /// Whether somebody may be asked: who is asked learns our full address, and that we are there.
    ///
    /// A contact with a subscription in either direction knows it, or may; one that refused us or has not answered yet does
    /// not, and what is blocked is not sent to. An account that only observes asks nobody.
    private func mayAsk(_ contact: BareJID, _ allowed: AvatarAsking) -> Bool {
        guard configuration.mode == .enforce, session?.blocking?.isBlocked(contact) != true else { return false }
        return switch allowed {
        case .anybody: true
        case .contacts: rosterFact(contact).map { $0.subscription != .none } ?? false
        }
    }

    private func avatarChanged(_ change: AvatarModule.Change) {
        switch change {
        case .changed(let contact, let old, let avatar):
            // Whose picture was not known yet has not changed it.
            if let old, old.hash != avatar.hash { avatarChanged(of: contact) }
            record(.known(AvatarRow(contact, avatar, at: now)))
        case .answered(let contact, let avatar):
            // The module keeps only what those with a subscription say; of others in the list the newest counts too.
            if rosterFact(contact) != nil { record(.known(AvatarRow(contact, avatar, at: now))) }
        case .failed(let contact, let hash, let until):
            let known = session?.module(AvatarModule.self)?.avatar(of: contact)
            var row = AvatarRow(contact, known, at: now)
            row.failure = AvatarRow.Failure(hash: hash, until: until)
            record(.known(row))
        }
    }

    /// Who is no contact any more is forgotten.
    func avatarsFollow(_ change: RosterPayload.Change) {
        guard case .remove(let contact) = change else { return }
        session?.module(AvatarModule.self)?.removed(contact)
        record(.removed(contact))
    }

    private func record(_ change: Store.AvatarChange) {
        let isFirst = avatarChanges.isEmpty
        avatarChanges[change.contact] = change
        guard avatarChanges.count < Self.avatarBatch else { return saveAvatars() }
        // It holds the account until then, whose session may be over; what it knows is worth the same.
        if isFirst { loop.schedule(after: Self.avatarDelay) { self.assumeIsolated { $0.saveAvatars() } } }
    }

    /// What has become known of a contact's picture and is not on disk yet.
    func unsavedAvatar(of contact: BareJID) -> Store.AvatarChange? { avatarChanges[contact] }

    private func saveAvatars() {
        let changes = Array(avatarChanges.values)
        guard !changes.isEmpty else { return }
        avatarChanges = [:]
        // What a login with many contacts leaves to be freed is no small thing where many accounts log in.
        if changes.count >= Self.largeBatch { loop.shared { SpentMemory() }.spent(on: loop) }
        // Unstructured: nothing waits for it, and what is not written is found out again.
        Task.immediate { try? await environment.store.save(changes, of: jid) }
    }

    /// Asks a contact what picture it has now.
    ///
    /// - Parameters:
    ///   - contact: Whom.
    ///   - allowed: Who may be asked.
    /// - Returns: What it has, or in words why it was not asked or did not say.
    package func askAvatar(
        of contact: BareJID, asking allowed: AvatarAsking
    ) async -> Result<AvatarRow, AvatarRefusal> {
        guard mayAsk(contact, allowed) else { return .failure(whyNotAsked(contact)) }
        guard let module = session?.module(AvatarModule.self) else { return .failure(.offline) }
        let result = await withCheckedContinuation { continuation in
            module.ask(contact) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let avatar): return .success(AvatarRow(contact, avatar, at: now))
        case .failure(let error): return .failure(AvatarRefusal(error))
        }
    }

    private func whyNotAsked(_ contact: BareJID) -> AvatarRefusal {
        if configuration.mode != .enforce { return .observing }
        if session == nil { return .offline }
        return session?.blocking?.isBlocked(contact) == true ? .blocked : .stranger
    }

    // MARK: Profile

    /// What is published: nothing where the account only observes.
    var profile: Profile {
        guard configuration.mode == .enforce else { return Profile() }
        let profile = configuration.profile
        return Profile(name: profile.name, nickname: profile.nickname, avatar: profile.avatar)
    }

    func makeProfileModule() -> ProfileModule {
        ProfileModule(account: jid, profile: profile) { [unowned self] outcome in
            environment.events(
                .profilePublished(jid, part: outcome.part.rawValue, error: outcome.error?.text))
        }
    }

    /// Publishes a picture as the account's own.
    ///
    /// - Returns: Nil where the server has it, else in words why not.
    package func setAvatar(_ image: AvatarImage) async -> AvatarRefusal? {
        guard let module = session?.module(ProfileModule.self) else { return .offline }
        let outcomes = await withCheckedContinuation { continuation in
            module.publish(Profile(avatar: image)) { continuation.resume(returning: $0) }
        }
        return outcomes.compactMap(\.error).first.map { AvatarRefusal($0) }
    }
}

extension AvatarRow {
    init(_ contact: BareJID, _ avatar: ContactAvatar?, at now: Timestamp) {
        self.init(
            contact: contact, hash: avatar?.hash, source: avatar.map { $0.source == .pep ? .pep : .vCard },
            checkedAt: now)
    }
}

extension AccountSession {
    /// Its module of that type.
    func module<Module: SessionModule>(_ type: Module.Type) -> Module? {
        for case let module as Module in modules { return module }
        return nil
    }
}
