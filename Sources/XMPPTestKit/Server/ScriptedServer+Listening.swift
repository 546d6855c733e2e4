public import XMPPClient
import XMPPCore
package import XMPPTransport

/// How clients come to a scripted server.
extension ScriptedServer {
    /// The way to this server within the process, whatever the account's domain.
    ///
    /// - Parameters:
    ///   - time: The clock of whoever uses it; nil for the system's.
    ///   - seed: What each client that uses it draws its nonces, ids and pauses by, so that it says the same again with the
    ///     same seed: for recordings. Nil for true chance.
    /// - Returns: What a client's options take.
    public nonisolated func transport(time: ManualTime? = nil, seed: UInt64? = nil) -> ClientTransport {
        // What the server owes is part of what `settle()` waits for.
        time?.settles(loop)
        return ClientTransport(connector, time, seed)
    }

    /// Listens on a free TCP port of loopback as well.
    ///
    /// - Parameters:
    ///   - certificate: What it shows; made by a `TestAuthority`.
    ///   - isDirectTLS: Whether TLS begins with the connection (XEP-0368); else by STARTTLS.
    ///   - clientAuthority: Whose certificates clients must show, for EXTERNAL; nil asks for none.
    /// - Returns: The port.
    /// - Throws: Where the certificate cannot be read or there is no port.
    @discardableResult
    public func listen(
        with certificate: TestAuthority.Certificate, isDirectTLS: Bool = false,
        clientsOf clientAuthority: TestAuthority? = nil
    ) async throws -> UInt16 {
        var options = TLSServerOptions()
        options.clientCertificate = clientAuthority.map { .init(caFile: $0.caFile, isRequired: true) }
        options.applicationProtocol = isDirectTLS ? "xmpp-client" : nil
        // So that clients can take their TLS up again.
        options.tickets = 2
        return try await listen(with: certificate, isDirectTLS: isDirectTLS, options)
    }

    /// As the public one, with any TLS.
    package func listen(
        with certificate: TestAuthority.Certificate, isDirectTLS: Bool, _ options: TLSServerOptions
    ) async throws -> UInt16 {
        let context = try await BlockingPool.run {
            try TLSContext.server(
                certificateFile: certificate.certificateFile, keyFile: certificate.keyFile, options: options)
        }
        return try listen(TLSSettings(domain: "", context: context), isDirectTLS: isDirectTLS)
    }

    /// As the public one, with any context.
    package func listen(_ settings: TLSSettings, isDirectTLS: Bool) throws -> UInt16 {
        let listener = try Listener.tcp(on: loop) { [weak self] accepted in
            self?.assumeIsolated { server in
                server.accept(accepted.channel, settings: settings, isDirectTLS: isDirectTLS)
            }
        }
        listeners.append(listener)
        return listener.port
    }

    /// Takes no more connections over sockets.
    public func stopListening() {
        for listener in listeners { listener.close() }
        listeners = []
    }
}
