import COpenSSL
import Glibc

/// What TLS connections share: the trusted authorities of clients, or the certificate of a server.
package final class TLSContext: Sendable {
    enum Role: Sendable {
        case client, server
    }

    /// OpenSSL's context: counted references, and safe to use from several threads once set up.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private static let lastNumber = Locked<UInt64>(0)
    /// More certificates than a public authority ever puts one above the other.
    private static let deepestChain: Int32 = 10

    let role: Role
    /// Unlike every other context's of this process, and never used again: sessions are kept apart by it.
    let number: UInt64
    private let handle: Handle
    /// What the server answers to ALPN; OpenSSL's callback reads it where it lies.
    private let applicationProtocol: ServerProtocol?

    /// For `SSL_new`.
    var pointer: OpaquePointer { handle.pointer }

    private init(_ role: Role, applicationProtocol: ServerProtocol? = nil) throws(TransportError) {
        guard let context = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method()) else {
            throw TransportError(.tlsFailed, "no TLS context: \(takeOpenSSLErrors())")
        }
        self.role = role
        self.applicationProtocol = applicationProtocol
        number = Self.lastNumber.withLock { number in
            number += 1
            return number
        }
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
    /// - Parameter caFile: the trusted authorities (PEM), and no others; `nil` for the system's (or those which OpenSSL's
    ///   own variable `SSL_CERT_FILE` names).
    /// - Returns: a context to be shared by all connections.
    /// - Throws: `.caFileUnreadable`.
    package static func client(caFile: String?) throws(TransportError) -> TLSContext {
        ERR_clear_error()
        let context = try TLSContext(.client)
        if let caFile {
            try context.loadAuthorities(caFile)
        } else {
            guard SSL_CTX_set_default_verify_paths(context.pointer) == 1 else {
                throw TransportError(.caFileUnreadable, "the system's authorities: \(takeOpenSSLErrors())")
            }
        }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, verifyPeerCertificate)
        SSL_CTX_set_verify_depth(context.pointer, deepestChain)
        SSL_CTX_set_cert_cb(context.pointer, showCertificate, nil)
        shim_ssl_ctx_hand_out_sessions(context.pointer, takeNewSession)
        return context
    }

    /// The accepting side.
    ///
    /// Reads files: call it through `BlockingPool`.
    /// - Parameters:
    ///   - certificateFile: the server's certificate and those between it and its authority (PEM).
    ///   - keyFile: its private key (PEM, no passphrase).
    ///   - options: versions, tickets, clients' certificates.
    /// - Returns: a context to be shared by all connections.
    /// - Throws: `.certificateUnreadable`; `.caFileUnreadable` for the authorities of clients.
    package static func server(
        certificateFile: String, keyFile: String, options: TLSServerOptions = TLSServerOptions()
    ) throws(TransportError) -> TLSContext {
        let identity = try TLSIdentity.load(certificateFile: certificateFile, keyFile: keyFile)
        let context = try TLSContext(.server, applicationProtocol: options.applicationProtocol.map(ServerProtocol.init))
        ERR_clear_error()
        let (own, pointer) = (identity.handle, context.pointer)
        guard SSL_CTX_use_cert_and_key(pointer, own.certificate, own.key, own.chain, 1) == 1 else {
            throw TransportError(
                .certificateUnreadable,
                "\(certificateFile) cannot serve: \(takeOpenSSLErrors())"
            )
        }
        try context.set(options)
        return context
    }

    /// The file and the folders that OpenSSL takes the system's authorities from.
    ///
    /// Of a folder it looks a certificate up when it needs it, and keeps it: who manages such a folder (Debian's
    /// `update-ca-certificates`) adds and removes files, by which the folder's own stamp changes.
    package static var systemAuthorities: [String] {
        func named(_ variable: UnsafePointer<CChar>?, or usual: UnsafePointer<CChar>?) -> String {
            let set = variable.flatMap { getenv($0) }.map { String(cString: $0) }
            return set ?? usual.map { String(cString: $0) } ?? ""
        }
        let file = named(X509_get_default_cert_file_env(), or: X509_get_default_cert_file())
        let folders = named(X509_get_default_cert_dir_env(), or: X509_get_default_cert_dir())
        return [file] + folders.split(separator: ":").map(String.init)
    }

    private func loadAuthorities(_ caFile: String) throws(TransportError) {
        guard SSL_CTX_load_verify_file(pointer, caFile) == 1 else {
            throw TransportError(
                .caFileUnreadable,
                "\(caFile) is no readable PEM file of certificates: \(takeOpenSSLErrors())"
            )
        }
    }

    private func set(_ options: TLSServerOptions) throws(TransportError) {
        let (lowest, highest) = (Int32(options.versions.lowerBound), Int32(options.versions.upperBound))
        // Without a session's context no session is taken up where clients show certificates.
        let name = Array("doorward".utf8)
        guard shim_ssl_ctx_set_versions(pointer, lowest, highest) == 1,
            shim_ssl_ctx_set_tickets(pointer, options.tickets) == 1,
            SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count)) == 1
        else {
            throw TransportError(.tlsFailed, "the server's options cannot be set: \(takeOpenSSLErrors())")
        }
        if !options.hasExtendedMasterSecret { shim_ssl_ctx_drop_extended_master_secret(pointer) }
        if let asked = options.clientCertificate {
            try loadAuthorities(asked.caFile)
            let mode = SSL_VERIFY_PEER | (asked.isRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
            SSL_CTX_set_verify(pointer, mode, nil)
        }
        if let applicationProtocol {
            SSL_CTX_set_alpn_select_cb(
                pointer,
                selectProtocol,
                Unmanaged.passUnretained(applicationProtocol).toOpaque()
            )
        }
    }
}

/// The bytes of a server's answer to ALPN, at one place in memory.
private final class ServerProtocol: @unchecked Sendable {
    // Unchecked because: written in `init` only.
    let name: UnsafeMutableBufferPointer<UInt8>

    init(_ name: String) {
        let bytes = Array(name.utf8.prefix(255))
        self.name = .allocate(capacity: bytes.count)
        _ = self.name.initialize(from: bytes)
    }

    deinit {
        name.deallocate()
    }
}

/// OpenSSL's ALPN callback of a server: one answer, whatever is offered.
///
/// A global function: a closure literal would inherit the isolation of its place.
private func selectProtocol(
    _ ssl: OpaquePointer?,
    _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32,
    _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data, let out, let outCount else { return SSL_TLSEXT_ERR_NOACK }
    let answer = Unmanaged<ServerProtocol>.fromOpaque(data).takeUnretainedValue().name
    out.pointee = UnsafePointer(answer.baseAddress)
    outCount.pointee = UInt8(answer.count)
    return SSL_TLSEXT_ERR_OK
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
