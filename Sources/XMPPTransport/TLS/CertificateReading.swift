import COpenSSL

/// What is read of a certificate that a server shows, from its bytes: for whoever wants to see that any bytes do.
package struct CertificateReading: Sendable, Equatable {
    /// The name that is the domain's; nil where it has none.
    package let matched: String?
    /// Its DNS names, for an error message.
    package let names: String

    /// Reads a certificate in DER; nil where the bytes are none.
    ///
    /// The domain is that of an account in A-labels, and in U-labels where they differ.
    package init?(der: [UInt8], domain: String, unicodeDomain: String? = nil) {
        guard CertificateName.isUsable(domain: domain) else { return nil }
        let certificate = der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_X509(nil, &start, buffer.count)
        }
        guard let certificate else {
            ERR_clear_error()
            return nil
        }
        defer { X509_free(certificate) }
        matched = CertificateName.match(certificate, domain: domain, unicodeDomain: unicodeDomain)
        names = CertificateName.list(certificate)
        var digest = [UInt8](repeating: 0, count: 32)
        _ = (shim_x509_end(certificate), shim_x509_is_authority(certificate))
        _ = (shim_x509_key_digest(certificate, &digest), shim_x509_end_point_hash(certificate))
        ERR_clear_error()
    }
}
