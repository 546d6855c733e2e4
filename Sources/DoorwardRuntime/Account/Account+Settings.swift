import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTransport

/// What a connection is made with: from the configuration, the store, and the session of before.
extension Account {
    /// A saved session that was not written for so long is not asked for: no server keeps one for a day.
    private static let oldest: Int64 = 86_400_000

    func clientSettings() async throws(SessionEnd) -> ClientSettings {
        var settings = try await ClientSettings(
            configuration, trust: environment.trust, readSecret: environment.readSecret)
        settings.commitsByItself = false
        settings.sessions = environment.sessions
        settings.route = route
        do {
            try await remember(in: &settings)
        } catch {
            // Not a reason to give up: the store may have room again.
            throw SessionEnd(.abandoned("the store failed: \(error)"))
        }
        return settings
    }

    /// The memory of earlier logins, and the session to go on with.
    private func remember(in settings: inout ClientSettings) async throws(StoreError) {
        let store = environment.store
        let row: LoginRow
        if let login {
            row = login
        } else if let known = try await store.login(of: jid) {
            row = known
        } else {
            row = LoginRow(userAgent: UserAgent.randomID())
            isLoginDue = true
        }
        login = row
        settings.memory = LoginMemory(usedStrongMechanism: row.isStrong, usedAnnouncedBinding: row.isBound)
        settings.userAgent = UserAgent(id: row.userAgent)
        settings.resource = resource(row)
        settings.token = row.token.map { FASTToken(mechanism: $0.mechanism, token: $0.secret, expiry: $0.expiry) }
        if let dormant {
            await recorded(dormant.session)
            guard !dormant.session.isBroken else {
                forgetDormant()
                return
            }
            settings.resumption = dormant.resumable
            settings.resumption?.inbound = dormant.session.committedInbound
        } else {
            saved = try await sessionToGoOnWith()
            settings.resumption = saved.flatMap { ResumableSession($0) }
            guard saved != nil, settings.resumption == nil else { return }
            // What cannot be read is not asked for: the login is a fresh one.
            saved = nil
            try await environment.store.discardSession(of: jid)
        }
    }

    /// The session of the process before; nil where there is none, or it must not go on.
    private func sessionToGoOnWith() async throws(StoreError) -> SavedSession? {
        guard let saved = try await environment.store.savedSession(of: jid),
            now.milliseconds - saved.savedAt.milliseconds < Self.oldest
        else { return nil }
        guard configuration.mode == .enforce else { return saved }
        // What was only observed is decided when it is delivered again, and that takes a fresh login.
        let rows = try await environment.store.liveRequests(of: jid)
        return rows.contains(where: \.wasOnlyObserved) ? nil : saved
    }

    /// The configured one, else one that a stranger cannot guess and that is the same after each restart; after a conflict
    /// another that nobody has.
    ///
    /// Not one word for all: a request to the full address is answered by ourselves, and where nobody has the resource by
    /// the server, whose refusal some make in other words (ejabberd adds a text). It is of the same random number as the
    /// user agent's id, which only the server learns, and does not tell it.
    private func resource(_ row: LoginRow) -> String {
        let mark = digest(.sha256, Array(("resource " + row.userAgent).utf8))
        let resource = configuration.resource ?? "doorward-" + hexadecimal(Array(mark.prefix(6)))
        return resourceSuffix.map { resource + "-" + $0 } ?? resource
    }

    /// From the next connection on another resource is asked for.
    func takeNewResource() {
        resourceSuffix = hexadecimal(randomBytes(4))
    }

    // MARK: After a login

    /// Keeps what a login has shown, and its new token: `loginToSave()` gives it to the store.
    func keep(_ report: LoginReport, _ token: FASTToken?) {
        guard var row = login else { return }
        // What was seen once is not forgotten by itself.
        row.isStrong = row.isStrong || report.memory.usedStrongMechanism
        row.isBound = row.isBound || report.memory.usedAnnouncedBinding
        if let token {
            row.token = LoginRow.Token(mechanism: token.mechanism, secret: token.token, expiry: token.expiry)
        }
        keep(row)
    }

    /// The token did not work, or is used up.
    func forgetToken() {
        guard var row = login else { return }
        row.token = nil
        keep(row)
        saveLogin()
    }

    /// An operator trusts the server again: what this account still learns is not kept.
    func forgetLogin() {
        login = nil
        isLoginDue = false
    }

    private func keep(_ row: LoginRow) {
        guard row != login else { return }
        login = row
        isLoginDue = true
    }

    /// What the store does not have yet; whoever takes it sets `isLoginDue` again where that fails.
    func loginToSave() -> LoginRow? {
        guard isLoginDue else { return nil }
        isLoginDue = false
        return login
    }

    func saveLogin() {
        guard let row = loginToSave() else { return }
        // Unstructured: this is a callback of the stream, which must not wait for the disk.
        Task.immediate {
            do throws(StoreError) {
                try await environment.store.save(row, of: jid)
            } catch {
                isLoginDue = true
            }
        }
    }
}

extension RequestRow {
    /// Whether it was decided without acting on it; a request that a rule ignores needs no act, and one that waits for facts is
    /// not decided yet.
    fileprivate var wasOnlyObserved: Bool {
        guard case .recorded = state else { return false }
        switch decision {
        case .ignore?, nil: return false
        case .accept?, .reject?, .ask?: return true
        }
    }
}
