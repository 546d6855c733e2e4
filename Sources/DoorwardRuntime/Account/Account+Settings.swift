package import DoorwardConfig
import DoorwardStore
import XMPPClient
package import XMPPCore
import XMPPCrypto
package import XMPPSession
package import XMPPTransport

/// What a connection is made with: from the configuration, the store, and the session of before.
extension Account {
    /// A saved session that was not written for so long is not asked for: no server keeps one for a day.
    private static let oldest: Int64 = 86_400_000

    func clientSettings() async throws(SessionEnd) -> ClientSettings {
        let password = try await password()
        let caFile = configuration.connect.caFile
        let trust: TLSContext
        do {
            trust = try await environment.trust.context(caFile: caFile)
        } catch {
            throw SessionEnd(.unusable("\(error)"))
        }
        var settings = ClientSettings(
            account: jid, password: password, resource: resource, address: address, trust: trust)
        settings.allowsPlain = configuration.login.allowsPlain
        settings.requiresChannelBinding = configuration.login.requiresChannelBinding
        settings.iterationBounds = configuration.login.iterations
        settings.commitsByItself = false
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
        if let login { row = login } else { row = try await store.login(of: jid, proposing: UserAgent.randomID()) }
        login = row
        settings.memory = LoginMemory(usedStrongMechanism: row.isStrong, usedAnnouncedBinding: row.isBound)
        settings.userAgent = UserAgent(id: row.userAgent)
        settings.token = row.token.map { FASTToken(mechanism: $0.mechanism, token: $0.secret, expiry: $0.expiry) }
        if let dormant {
            await recorded(dormant.session)
            guard !dormant.session.isBroken else {
                self.dormant = nil
                return
            }
            settings.resumption = dormant.resumable
            settings.resumption?.inbound = dormant.session.committedInbound
        } else {
            saved = try await store.savedSession(of: jid)
            guard let saved, now.milliseconds - saved.savedAt.milliseconds < Self.oldest else {
                saved = nil
                return
            }
            settings.resumption = ResumableSession(saved)
        }
    }

    private func password() async throws(SessionEnd) -> Secret {
        // Only a certificate may stand alone; the configuration sees to that.
        guard let source = configuration.password else { return Secret([]) }
        let read = environment.readSecret
        do {
            if case .command = source { return Secret(try await BlockingPool.runProgram { try read(source) }) }
            return Secret(try await BlockingPool.run { try read(source) })
        } catch {
            throw SessionEnd(.unusable("the password could not be read: \(error)"))
        }
    }

    /// The configured one, or after a conflict another that nobody has.
    private var resource: String { resourceSuffix.map { configuration.resource + "-" + $0 } ?? configuration.resource }

    private var address: ServerAddress { configuration.connect.address(of: jid) }

    // MARK: After a login

    /// Keeps what a login has shown, and its new token.
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
    }

    /// An operator trusts the server again: what this account still learns is not kept.
    func forgetLogin() {
        login = nil
    }

    private func keep(_ row: LoginRow) {
        guard row != login else { return }
        login = row
        // Unstructured: this is a callback of the stream, which must not wait for the disk. Where it fails, the next login
        // shows the same again.
        Task.immediate { try? await environment.store.save(row, of: jid) }
    }
}

extension AccountConfiguration.Connect {
    /// Where the server of an account is.
    package func address(of account: BareJID) -> ServerAddress {
        guard let host else { return .domain(account.asciiDomain) }
        switch tls {
        case nil, .starttls: return .host(host, port: port ?? 5222)
        case .direct: return .host(host, port: port ?? 5223, isDirectTLS: true)
        }
    }
}

extension UserAgent {
    /// A UUID of version 4 (RFC 9562 section 5.4).
    package static func randomID() -> String {
        var bytes = randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(hexadecimal(bytes))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(digits[$0]) }.joined(separator: "-")
    }
}
