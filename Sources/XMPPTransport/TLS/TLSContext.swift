import COpenSSL

/// What TLS connections share: the trusted authorities of clients, or the certificate of a server.
package final class TLSContext: Sendable {
    enum Role: Sendable {
        case client, server
    }

    /// OpenSSL's context: counted references, and safe to use from several threads once set up.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    let role: Role
    private let handle: Handle

    /// For `SSL_new`.
    var pointer: OpaquePointer { handle.pointer }

    private init(_ role: Role) throws(TransportError) {
        guard let context = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method()) else {
            throw TransportError(.tlsFailed, "no TLS context: \(takeOpenSSLErrors())")
        }
        self.role = role
        handle = Handle(pointer: context)
        guard shim_ssl_ctx_harden(context) == 1 else {
            throw TransportError(.tlsFailed, "TLS 1.2 cannot be required: \(takeOpenSSLErrors())")
        }
    }

    deinit {
        SSL_CTX_free(handle.pointer)
    }

    /// The client's side, which verifies the server's certificate.
    ///
    /// Reads files: call it through `BlockingPool`.
    /// - Parameter caFile: the trusted authorities (PEM), and no others; `nil` for the system's.
    /// - Returns: a context to be shared by all connections.
    /// - Throws: `.caFileUnreadable`.
    package static func client(caFile: String?) throws(TransportError) -> TLSContext {
        ERR_clear_error()
        let context = try TLSContext(.client)
        if let caFile {
            guard SSL_CTX_load_verify_file(context.pointer, caFile) == 1 else {
                throw TransportError(
                    .caFileUnreadable,
                    "\(caFile) is no readable PEM file of certificates: \(takeOpenSSLErrors())"
                )
            }
        } else {
            guard SSL_CTX_set_default_verify_paths(context.pointer) == 1 else {
                throw TransportError(.caFileUnreadable, "the system's authorities: \(takeOpenSSLErrors())")
            }
        }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, verifyPeerCertificate)
        return context
    }

    /// The accepting side.
    ///
    /// Reads files: call it through `BlockingPool`.
    /// - Parameters:
    ///   - certificateFile: the server's certificate and those between it and its authority (PEM).
    ///   - keyFile: its private key (PEM, no passphrase).
    /// - Returns: a context to be shared by all connections.
    /// - Throws: `.certificateUnreadable`.
    package static func server(certificateFile: String, keyFile: String) throws(TransportError) -> TLSContext {
        ERR_clear_error()
        let context = try TLSContext(.server)
        guard SSL_CTX_use_certificate_chain_file(context.pointer, certificateFile) == 1 else {
            throw TransportError(
                .certificateUnreadable,
                "\(certificateFile) is no readable certificate: \(takeOpenSSLErrors())"
            )
        }
        guard SSL_CTX_use_PrivateKey_file(context.pointer, keyFile, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context.pointer) == 1
        else {
            throw TransportError(
                .certificateUnreadable,
                "\(keyFile) is no readable private key of \(certificateFile): \(takeOpenSSLErrors())"
            )
        }
        // Sessions are not resumed; each ticket would cost the client memory.
        SSL_CTX_set_num_tickets(context.pointer, 0)
        return context
    }
}

/// The texts of OpenSSL's error queue of this thread, which is empty afterwards.
func takeOpenSSLErrors() -> String {
    var texts: [String] = []
    while true {
        let error = ERR_get_error()
        guard error != 0 else { break }
        guard texts.count < 4 else { continue }
        if let reason = ERR_reason_error_string(error) { texts.append(String(cString: reason)) }
    }
    return texts.isEmpty ? "no reason given" : texts.joined(separator: ", ")
}
