import COpenSSL

/// Makes certificates for servers that nobody else is to trust: those of tests and demonstrations.
///
/// An authority of its own, whose key is never written down, signs each of them: elliptic curve P-256, SHA-256.
package final class CertificateMaker: Sendable {
    /// A certificate and its key, as PEM.
    package struct Pair: Sendable {
        package var certificate: String
        package var key: String
    }

    /// What a certificate is for.
    package enum Purpose: String, Sendable {
        case server = "serverAuth"
        case client = "clientAuth"
    }

    /// OpenSSL could not do it.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Unchecked: set in `init`, freed in `deinit`, and only read by OpenSSL in between.
    private struct Handles: @unchecked Sendable {
        let key: OpaquePointer
        let certificate: OpaquePointer
    }

    private let handles: Handles
    /// The authority's certificate, as PEM.
    package let authority: String

    package init(name: String) throws(Failure) {
        let key = try Self.makeKey()
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw Failure(description: "no memory for a certificate")
        }
        handles = Handles(key: key, certificate: certificate)
        authority = try Self.build(
            certificate, name: name, key: key, days: 3650, issuer: certificate, issuerKey: key,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ])
    }

    deinit {
        X509_free(handles.certificate)
        EVP_PKEY_free(handles.key)
    }

    /// Makes a certificate.
    ///
    /// - Parameters:
    ///   - names: The subjectAltName as OpenSSL's configuration writes its parts, such as `DNS:example.org`.
    ///   - purpose: The extended key usage.
    /// - Returns: It, with a new key.
    /// - Throws: Where OpenSSL refuses a name.
    package func make(names: [String], purpose: Purpose) throws(Failure) -> Pair {
        let key = try Self.makeKey()
        defer { EVP_PKEY_free(key) }
        guard let certificate = X509_new() else { throw Failure(description: "no memory for a certificate") }
        defer { X509_free(certificate) }
        let text = try Self.build(
            certificate, name: "made for a test", key: key, days: 365, issuer: handles.certificate,
            issuerKey: handles.key,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, purpose.rawValue), (NID_subject_alt_name, names.joined(separator: ",")),
            ])
        let keyText = try Self.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        return Pair(certificate: text, key: keyText)
    }

    private static func makeKey() throws(Failure) -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw Failure(description: "no key could be made") }
        return key
    }

    /// Fills in and signs a certificate.
    ///
    /// - Returns: It, as PEM.
    private static func build(
        _ certificate: OpaquePointer, name: String, key: OpaquePointer, days: Int, issuer: OpaquePointer,
        issuerKey: OpaquePointer, extensions: [(Int32, String)]
    ) throws(Failure) -> String {
        let serial = BN_bin2bn(randomBytes(16), 16, nil)
        defer { BN_free(serial) }
        let subject = X509_get_subject_name(certificate)
        guard X509_set_version(certificate, 2) == 1,
            BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)) != nil,
            // A day back: clocks differ.
            X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86_400) != nil,
            X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, Array(name.utf8), Int32(name.utf8.count), -1, 0)
                == 1,
            X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1,
            X509_set_pubkey(certificate, key) == 1
        else { throw Failure(description: "the certificate could not be filled in") }
        for (kind, value) in extensions {
            var context = X509V3_CTX()
            X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
            guard let entry = X509V3_EXT_conf_nid(nil, &context, kind, value) else {
                throw Failure(description: "OpenSSL refuses \(value)")
            }
            defer { X509_EXTENSION_free(entry) }
            guard X509_add_ext(certificate, entry, -1) == 1 else {
                throw Failure(description: "\(value) could not be added")
            }
        }
        guard X509_sign(certificate, issuerKey, EVP_sha256()) > 0 else {
            throw Failure(description: "the certificate could not be signed")
        }
        return try text { PEM_write_bio_X509($0, certificate) }
    }

    private static func text(_ write: (OpaquePointer?) -> Int32) throws(Failure) -> String {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        guard write(bio) == 1 else { throw Failure(description: "PEM could not be written") }
        let count = BIO_read(bio, &bytes, Int32(clamping: bytes.count))
        guard count > 0 else { throw Failure(description: "PEM could not be written") }
        return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }
}
