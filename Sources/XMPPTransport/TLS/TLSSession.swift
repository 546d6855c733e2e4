import COpenSSL

/// One session of OpenSSL's, with what was found out about the server when it began.
final class TLSSession: @unchecked Sendable {
    // Unchecked because: the session is counted by OpenSSL, which reads it from several threads and changes nothing of it
    // but the mark that it must not be resumed.

    /// A reference of our own.
    let pointer: OpaquePointer
    /// Until when the verification of the first handshake is relied upon, in seconds since 1970.
    let trustedUntil: Int64
    /// Whether the client's certificate was shown in the first handshake: the server may know it by the session.
    let showedCertificate: Bool

    /// Takes over a reference.
    init(_ pointer: OpaquePointer, trustedUntil: Int64, showedCertificate: Bool) {
        self.pointer = pointer
        self.trustedUntil = trustedUntil
        self.showedCertificate = showedCertificate
    }

    deinit {
        SSL_SESSION_free(pointer)
    }

    /// Not after a fatal alert on a connection that has it (RFC 5246 7.2.2).
    var isResumable: Bool { SSL_SESSION_is_resumable(pointer) == 1 }

    /// The server's, as it was verified; `nil` where there is none.
    var peerCertificate: OpaquePointer? { SSL_SESSION_get0_peer(pointer) }

    /// When neither the ticket nor the verification is too old, in seconds since 1970.
    func usableUntil(longest: Int64) -> Int64 {
        var seconds = Int64(SSL_SESSION_get_timeout(pointer))
        if SSL_SESSION_has_ticket(pointer) == 1 {
            let hint = Int64(clamping: SSL_SESSION_get_ticket_lifetime_hint(pointer))
            // 0 means "unknown" with TLS 1.2 (RFC 5077 3.3) and "not at all" with TLS 1.3.
            if hint > 0 || SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION { seconds = hint }
        }
        return min(trustedUntil, Int64(SSL_SESSION_get_time(pointer)) + min(seconds, longest))
    }
}
