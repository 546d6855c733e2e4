import COpenSSL

/// A certificate of our own with its private key: what a server shows always, and a client where it is asked (SASL
/// EXTERNAL, XEP-0178).
package final class TLSIdentity: Sendable {
    /// The certificates that are sent above our own.
    private static let longestChain = 16

    /// OpenSSL's objects: counted references that nobody changes after `load`.
    struct Handle: @unchecked Sendable {
        let certificate: OpaquePointer
        let key: OpaquePointer
        let chain: OpaquePointer
    }

    let handle: Handle
    /// SHA-256 of the certificate: tells one identity from another.
    let fingerprint: [UInt8]
    /// When the certificate ends, in seconds since 1970.
    package let validUntil: Int64

    private init(_ handle: Handle) {
        self.handle = handle
        fingerprint = certificateDigest(handle.certificate, EVP_sha256()) ?? []
        validUntil = shim_x509_end(handle.certificate)
    }

    deinit {
        X509_free(handle.certificate)
        EVP_PKEY_free(handle.key)
        shim_chain_free(handle.chain)
    }

    /// Reads the files: call it through `BlockingPool`.
    /// - Parameters:
    ///   - certificateFile: the certificate and those between it and its authority (PEM).
    ///   - keyFile: its private key (PEM, without a passphrase).
    /// - Returns: the identity, to be shared by all connections that show it.
    /// - Throws: `.certificateUnreadable`, with what to do.
    package static func load(certificateFile: String, keyFile: String) throws(TransportError) -> TLSIdentity {
        let (certificate, chain) = try readCertificates(certificateFile)
        let key: OpaquePointer
        do throws(TransportError) {
            key = try readKey(keyFile)
        } catch {
            X509_free(certificate)
            shim_chain_free(chain)
            throw error
        }
        let handle = Handle(certificate: certificate, key: key, chain: chain)
        let identity = TLSIdentity(handle)
        guard !identity.fingerprint.isEmpty, X509_check_private_key(certificate, key) == 1 else {
            ERR_clear_error()
            throw TransportError(
                .certificateUnreadable,
                "the key in \(keyFile) is not that of the first certificate in \(certificateFile)"
            )
        }
        return identity
    }

    private static func open(_ path: String, _ what: String) throws(TransportError) -> OpaquePointer {
        ERR_clear_error()
        guard let file = BIO_new_file(path, "r") else {
            throw TransportError(.certificateUnreadable, "\(path), \(what), cannot be opened: \(takeOpenSSLErrors())")
        }
        return file
    }

    private static func readCertificates(
        _ path: String
    ) throws(TransportError) -> (certificate: OpaquePointer, chain: OpaquePointer) {
        let file = try open(path, "a file of certificates")
        defer { BIO_free(file) }
        guard let certificate = PEM_read_bio_X509(file, nil, nil, nil) else {
            throw TransportError(
                .certificateUnreadable,
                "\(path) holds no readable certificate (PEM): \(takeOpenSSLErrors())"
            )
        }
        guard let chain = shim_chain_new() else {
            X509_free(certificate)
            throw TransportError(.certificateUnreadable, "\(path): \(takeOpenSSLErrors())")
        }
        var problem: String?
        while problem == nil, let next = PEM_read_bio_X509(file, nil, nil, nil) {
            if shim_chain_push(chain, next) != 1 {
                problem = takeOpenSSLErrors()
            } else if shim_chain_count(chain) > longestChain {
                problem = "over \(longestChain) certificates above the first; is it a file of authorities?"
            }
        }
        // The last read found no more of them, which is no error; a damaged one is.
        if problem == nil, ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE {
            problem = takeOpenSSLErrors()
        }
        ERR_clear_error()
        guard let problem else { return (certificate, chain) }
        X509_free(certificate)
        shim_chain_free(chain)
        throw TransportError(.certificateUnreadable, "\(path) holds no readable chain of certificates: \(problem)")
    }

    private static func readKey(_ path: String) throws(TransportError) -> OpaquePointer {
        let file = try open(path, "a private key")
        defer { BIO_free(file) }
        var wantedPassphrase: Int32 = 0
        if let key = shim_read_private_key(file, &wantedPassphrase) { return key }
        let reason = takeOpenSSLErrors()
        guard wantedPassphrase == 0 else {
            throw TransportError(
                .certificateUnreadable,
                "\(path) is encrypted; store the key without a passphrase, readable for this user only"
                    + " (openssl pkey -in \(path) -out NEW)"
            )
        }
        throw TransportError(.certificateUnreadable, "\(path) holds no readable private key (PEM): \(reason)")
    }
}

/// The digest of a certificate's DER form.
func certificateDigest(_ certificate: OpaquePointer, _ hash: OpaquePointer) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard X509_digest(certificate, hash, &digest, &count) == 1 else { return nil }
    return Array(digest.prefix(Int(count)))
}
