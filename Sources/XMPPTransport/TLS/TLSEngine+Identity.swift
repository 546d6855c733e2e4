import COpenSSL

/// The client's certificate within a handshake.
extension TLSEngine {
    /// From OpenSSL's callback: the server asks for a certificate.
    ///
    /// Without one, none is shown, and the server judges.
    fileprivate func showIdentity() -> Bool {
        guard role == .client else { return true }
        wasAskedForCertificate = true
        guard let own = identity?.handle else { return true }
        guard SSL_use_cert_and_key(ssl, own.certificate, own.key, own.chain, 1) == 1 else { return false }
        showedCertificate = true
        return true
    }

    /// A server's alert, by OpenSSL's number of its reason, where it is about the client's certificate.
    func explain(alert: Int32) -> String? {
        guard role == .client else { return nil }
        switch alert {
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
            // TLS 1.2 has no alert of its own for it.
            return wasAskedForCertificate && !showedCertificate
                ? "the server asks for a certificate of the account, and there is none" : nil
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
            SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
            SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
            return showedCertificate ? "the server does not accept the account's certificate" : nil
        default: return nil
        }
    }
}

/// OpenSSL's callback for a certificate to show.
///
/// A global function: a closure literal would inherit the isolation of its place.
func showCertificate(_ ssl: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> Int32 {
    ssl.flatMap(TLSEngine.of)?.showIdentity() == true ? 1 : 0
}
