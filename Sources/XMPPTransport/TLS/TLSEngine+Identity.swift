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
}

/// OpenSSL's callback for a certificate to show.
///
/// A global function: a closure literal would inherit the isolation of its place.
func showCertificate(_ ssl: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> Int32 {
    ssl.flatMap(TLSEngine.of)?.showIdentity() == true ? 1 : 0
}
