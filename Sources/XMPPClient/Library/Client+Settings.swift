import XMPPCore
import XMPPSession
import XMPPTransport

/// What a client's connections are made with.
extension Client {
    /// Whom it trusts, and what it shows of itself, as the files are now.
    func trust() async throws(ClientError) -> (authorities: TLSContext, own: TLSIdentity?) {
        do {
            let authorities = try await sharedTrust.context(caFile: options.authorities)
            guard let certificate = options.certificate else { return (authorities, nil) }
            return (
                authorities,
                try await sharedTrust.identity(certificateFile: certificate.file, keyFile: certificate.key)
            )
        } catch {
            throw ClientError(.unusable, "\(error)", advice: "name a file of certificates that can be read")
        }
    }

    func settings() async throws(ClientError) -> ClientSettings {
        let trust = try await trust()
        var settings = ClientSettings(
            account: account, password: password, resource: options.resource, address: options.address(for: account),
            trust: trust.authorities)
        settings.identity = trust.own
        settings.allowsPlain = options.allowsPlain
        settings.requiresChannelBinding = options.requiresChannelBinding
        settings.iterationBounds = options.iterationBounds
        settings.userAgent = UserAgent(id: remembered.userAgentID, software: options.software)
        settings.observer = options.observer
        settings.pins = options.pins.map(\.digest)
        settings.sessions = sharedSessions
        settings.commitsByItself = options.keep == nil
        settings.random = options.transport.makeChance()
        return settings
    }
}

/// The authorities of all clients, each file loaded once.
private let sharedTrust = TLSContextCache()

/// A login again costs a resumed handshake.
private let sharedSessions = TLSSessionCache()
