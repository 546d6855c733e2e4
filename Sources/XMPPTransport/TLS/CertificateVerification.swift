import COpenSSL
import Glibc

/// What the verification of one handshake is for, and what came of it; reached by OpenSSL's callback through the SSL's
/// data.
final class CertificateVerification {
    /// The reference identity (RFC 6125 6.2): the account's domain as A-label.
    let domain: String
    /// X509_V_ERR of the refusal; `nil` while there is none.
    private(set) var refusal: Int32?
    /// The certificate's own DNS names, when it is for another name.
    private(set) var presentedNames = ""

    init(domain: String) {
        self.domain = domain
    }

    /// OpenSSL's step: `isAccepted` is its own judgement of the certificate at hand, this adds the name.
    func verify(isAccepted: Bool, _ store: OpaquePointer) -> Bool {
        guard isAccepted else {
            refusal = X509_STORE_CTX_get_error(store)
            return false
        }
        guard X509_STORE_CTX_get_error_depth(store) == 0, let certificate = X509_STORE_CTX_get_current_cert(store)
        else {
            return true
        }
        guard isNamed(certificate) else {
            var names = [CChar](repeating: 0, count: 256)
            shim_x509_dns_names(certificate, &names, names.count)
            presentedNames = cText(names)
            refusal = X509_V_ERR_HOSTNAME_MISMATCH
            X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH)
            return false
        }
        return true
    }

    /// RFC 6120 13.7.1.2: a DNS name, the service name of this very service, or an XMPP address; never the subject's
    /// common name (RFC 9525 2), and `*` only as a whole label.
    private func isNamed(_ certificate: OpaquePointer) -> Bool {
        if Self.isAddress(domain) { return X509_check_ip_asc(certificate, domain, 0) == 1 }
        let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
        if X509_check_host(certificate, domain, domain.utf8.count, flags, nil) == 1 { return true }
        // id-on-dnsSRV (RFC 4985) and id-on-xmppAddr.
        return shim_x509_has_other_name(certificate, "1.3.6.1.5.5.7.8.7", V_ASN1_IA5STRING, "_xmpp-client.\(domain)")
            == 1
            || shim_x509_has_other_name(certificate, "1.3.6.1.5.5.7.8.5", V_ASN1_UTF8STRING, domain) == 1
    }

    /// Whether a name can stand for one certificate: OpenSSL takes a leading dot for "any name below".
    static func isUsable(domain: String) -> Bool {
        let bytes = domain.utf8
        return !bytes.isEmpty && bytes.count <= 255 && bytes.first != UInt8(ascii: ".")
            && bytes.last != UInt8(ascii: ".")
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") }
    }

    static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
    }

    /// The refusal in words.
    var error: TransportError? {
        guard let refusal else { return nil }
        let (problem, reason) = explain(refusal)
        return TransportError(
            .certificateRejected,
            "the server's certificate is not accepted for \(domain): \(reason)",
            certificateProblem: problem
        )
    }

    private func explain(_ code: Int32) -> (CertificateProblem, String) {
        switch code {
        case X509_V_ERR_HOSTNAME_MISMATCH:
            let names = presentedNames.isEmpty ? "it names no host" : "it is for \(presentedNames)"
            return (.wrongName, "wrong name, \(names)")
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return (.expired, "it or one above it has expired; the server must renew it")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return (.notYetValid, "it is not valid yet; is this machine's clock right?")
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return (.selfSigned, "it is self-signed; name it as ca_file if it is meant to be trusted")
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            return (
                .unknownAuthority,
                "unknown authority; name its certificate as ca_file, or install the system's (ca-certificates)"
            )
        case X509_V_ERR_INVALID_PURPOSE:
            return (.wrongPurpose, "it is not for servers")
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            return (.weak, "its key or signature is too weak")
        default:
            return (.other, X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)")
        }
    }
}

/// OpenSSL's verify callback.
///
/// A global function: a closure literal would inherit the isolation of its place.
func verifyPeerCertificate(_ accepted: Int32, _ store: OpaquePointer?) -> Int32 {
    guard let store,
        let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let data = SSL_get_ex_data(OpaquePointer(ssl), 0)
    else { return 0 }
    let verification = Unmanaged<CertificateVerification>.fromOpaque(data).takeUnretainedValue()
    return verification.verify(isAccepted: accepted == 1, store) ? 1 : 0
}
