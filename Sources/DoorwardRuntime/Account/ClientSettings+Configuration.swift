package import DoorwardConfig
package import XMPPClient
import XMPPCore
import XMPPCrypto
package import XMPPTransport

extension ClientSettings {
    /// What the configuration says of an account's connections; its password and certificates are read just now.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - trust: Has the authorities that are loaded already.
    ///   - readSecret: Reads a password; blocking, so it is called off the loops.
    /// - Throws: `unusable` where something cannot be read.
    package init(
        _ account: AccountConfiguration, trust: TLSContextCache,
        readSecret: @escaping @Sendable (SecretSource) throws -> [UInt8]
    ) async throws(SessionEnd) {
        let password = try await Self.password(of: account, readSecret)
        let context: TLSContext
        let identity: TLSIdentity?
        do {
            context = try await trust.context(caFile: account.connect.caFile)
            identity = try await Self.identity(of: account, trust)
        } catch {
            throw SessionEnd(.unusable("\(error)"))
        }
        self.init(
            account: account.jid, password: password, resource: account.resource,
            address: account.connect.address(of: account.jid), trust: context)
        pins = account.connect.pins
        self.identity = identity
        allowsPlain = account.login.allowsPlain
        requiresChannelBinding = account.login.requiresChannelBinding
        iterationBounds = account.login.iterations
    }

    private static func identity(
        of account: AccountConfiguration, _ trust: TLSContextCache
    ) async throws -> TLSIdentity? {
        guard let certificate = account.login.certificate else { return nil }
        try await BlockingPool.run { try SecretReader.checkKey(certificate.key) }
        return try await trust.identity(certificateFile: certificate.file, keyFile: certificate.key)
    }

    private static func password(
        of account: AccountConfiguration, _ read: @escaping @Sendable (SecretSource) throws -> [UInt8]
    ) async throws(SessionEnd) -> Secret {
        // Only a certificate may stand alone; the configuration sees to that.
        guard let source = account.password else { return Secret([]) }
        do {
            if case .command = source { return Secret(try await BlockingPool.runProgram { try read(source) }) }
            return Secret(try await BlockingPool.run { try read(source) })
        } catch {
            throw SessionEnd(.unusable("the password could not be read: \(error)"))
        }
    }
}

extension AccountConfiguration.Connect {
    /// Where the server of an account is.
    func address(of account: BareJID) -> ServerAddress {
        guard let host else {
            let domain = account.asciiDomain
            return tls.map { .services(of: domain, isDirectTLS: $0 == .direct) } ?? .domain(domain)
        }
        switch tls {
        case nil, .starttls: return .host(host, port: port ?? 5222)
        case .direct: return .host(host, port: port ?? 5223, isDirectTLS: true)
        }
    }
}
