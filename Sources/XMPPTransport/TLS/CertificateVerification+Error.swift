import COpenSSL

/// The refusal in words.
extension CertificateVerification {
    var error: TransportError? {
        guard let refusal else { return nil }
        if case .unpinned(let presented) = refusal {
            return TransportError(
                .pinMismatch,
                "no certificate above or at the server of \(domain) has a pinned key; this may be an attack. The server's"
                    + " own key is sha256/\(presented): pin it only if its operator says that it is new"
            )
        }
        let (problem, reason) = explain(refusal)
        return TransportError(
            .certificateRejected,
            "the server's certificate is not accepted for \(domain): \(reason)",
            certificateProblem: problem
        )
    }

    private func explain(_ refusal: Refusal) -> (CertificateProblem, String) {
        switch refusal {
        case .chain(let code): return explain(code)
        case .wrongName(let presented):
            return (
                .wrongName,
                "wrong name, \(presented.isEmpty ? "it names no host" : "it is for \(presented)"); the server needs one for "
                    + "\(domain), or the account's address or host is wrong"
            )
        case .authority: return (.wrongPurpose, "it is an authority's, not a server's; the server needs one of its own")
        case .ended: return explain(X509_V_ERR_CERT_HAS_EXPIRED)
        case .unpinned: return (.other, "no pinned key")
        }
    }

    private func explain(_ code: Int32) -> (CertificateProblem, String) {
        switch code {
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
        case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION:
            return (.wrongName, "an authority above it may not vouch for its names; the server needs another")
        case X509_V_ERR_INVALID_PURPOSE:
            return (.wrongPurpose, "it is not for servers; the server needs another")
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            return (.weak, "its key or signature is too weak; the server needs a new one")
        default:
            return (.other, X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)")
        }
    }
}
