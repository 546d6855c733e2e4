import COpenSSL

/// A handshake that failed, in words for whoever looks after the account.
extension TLSEngine {
    /// - Parameter reason: OpenSSL's number of what went wrong, which may be an alert (RFC 8446 section 6).
    /// - Returns: What it means and what to do; nil where only OpenSSL's own words are left.
    func explain(_ reason: Int32) -> String? {
        guard role == .client else { return nil }
        return explain(ofCertificate: reason) ?? explain(ofAgreement: reason)
    }

    /// What is about the client's own certificate.
    private func explain(ofCertificate reason: Int32) -> String? {
        switch reason {
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
            // TLS 1.2 has no alert of its own for it.
            return wasAskedForCertificate && !showedCertificate
                ? "the server asks for a certificate of the account, and there is none: get one from its operator" : nil
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
            SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
            SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
            return showedCertificate
                ? "the server does not accept the account's certificate: check that it is valid and that the server's "
                    + "operator knows its authority" : nil
        default:
            return nil
        }
    }

    /// What is about versions, ciphers and names.
    private func explain(ofAgreement reason: Int32) -> String? {
        switch reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_VERSION_TOO_LOW:
            return "the server has no version of TLS that is safe (1.2 or 1.3): it must be brought up to date"
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY, SSL_R_NO_SHARED_CIPHER,
            SSL_R_NO_CIPHERS_AVAILABLE, SSL_R_WRONG_CIPHER_RETURNED, SSL_R_UNKNOWN_CIPHER_RETURNED:
            return "the server refused the handshake: it has no cipher in common with this side, or does not serve "
                + "this domain there; check the host and the port, or have the server's TLS settings checked"
        case SSL_R_TLSV1_UNRECOGNIZED_NAME:
            return "the server does not know this domain there: check the host and the port of the account"
        case SSL_R_NO_APPLICATION_PROTOCOL:
            return "the server does not speak XMPP there: check the host and the port of the account"
        case SSL_R_DH_KEY_TOO_SMALL, SSL_R_BAD_ECPOINT, SSL_R_WRONG_CURVE:
            return "the server's key exchange is too weak: its TLS settings must be brought up to date"
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_UNEXPECTED_MESSAGE, SSL_R_UNEXPECTED_RECORD,
            SSL_R_BAD_PROTOCOL_VERSION_NUMBER, SSL_R_RECORD_LENGTH_MISMATCH, SSL_R_PACKET_LENGTH_TOO_LONG:
            return "what answers there does not speak TLS as it must: check the host and the port of the account"
        case SSL_R_TLSV1_ALERT_INTERNAL_ERROR:
            return "something broke at the server in the TLS handshake: look at the server's log"
        case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
            return "the server lets nobody in from here: ask its operator"
        default:
            // The numbers of alerts follow those of OpenSSL's own reasons.
            guard reason > SSL_AD_REASON_OFFSET, reason < SSL_AD_REASON_OFFSET + 256 else { return nil }
            return "the server ended the TLS handshake with alert \(reason - SSL_AD_REASON_OFFSET): look at its log"
        }
    }
}
