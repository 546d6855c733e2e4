import COpenSSL
import Glibc

/// The names of certificates and how they match a domain (RFC 6120 13.7.1.2, RFC 9525); a certificate is OpenSSL's X509.
package enum CertificateName {
    /// Looks for the certificate's name for this domain.
    ///
    /// The domain must be usable. A DNS name, the service name of this very service, or an XMPP address; never the subject's common name (RFC 9525
    /// 2), and `*` only as the whole left-most label.
    ///
    /// - Parameters:
    ///   - certificate: The server's.
    ///   - chain: Up to the trusted authority, itself first. OpenSSL has held the authorities' limits against the DNS names
    ///     and addresses (RFC 5280 section 4.2.1.10), and knows none for the other two: an authority that may not speak for
    ///     the domain as a DNS name may not do so by them either. Nil where that was seen to before.
    ///   - domain: As A-label.
    ///   - unicodeDomain: The same as U-label.
    /// - Returns: The name, such as `DNS *.example.org`; `nil` where it has none.
    package static func match(
        _ certificate: OpaquePointer, chain: OpaquePointer? = nil, domain: String, unicodeDomain: String? = nil
    ) -> String? {
        if isAddress(domain) {
            return X509_check_ip_asc(certificate, withoutBrackets(domain), 0) == 1 ? "IP \(domain)" : nil
        }
        let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
        var found: UnsafeMutablePointer<CChar>?
        if X509_check_host(certificate, domain, domain.utf8.count, flags, &found) == 1 {
            defer { CRYPTO_free(found, nil, 0) }
            return "DNS \(found.map { String(cString: $0) } ?? domain)"
        }
        guard let name = otherName(certificate, domain: domain, unicodeDomain: unicodeDomain) else { return nil }
        return shim_chain_permits_host(chain, domain) == 1 ? name : nil
    }

    private static func otherName(
        _ certificate: OpaquePointer, domain: String, unicodeDomain: String?
    ) -> String? {
        // id-on-dnsSRV (RFC 4985).
        let service = "_xmpp-client.\(domain)"
        if shim_x509_has_other_name(certificate, "1.3.6.1.5.5.7.8.7", V_ASN1_IA5STRING, service) == 1 {
            return "SRV \(service)"
        }
        // id-on-xmppAddr.
        for name in [domain, unicodeDomain ?? domain]
        where shim_x509_has_other_name(certificate, "1.3.6.1.5.5.7.8.5", V_ASN1_UTF8STRING, name) == 1 {
            return "XMPP \(domain)"
        }
        return nil
    }

    /// The certificate's DNS names, for an error message.
    package static func list(_ certificate: OpaquePointer) -> String {
        var names = [CChar](repeating: 0, count: 256)
        shim_x509_dns_names(certificate, &names, names.count)
        return cText(names)
    }

    /// Whether a name can stand for one certificate: OpenSSL takes a leading dot for "any name below".
    static func isUsable(domain: String) -> Bool {
        let bytes = domain.utf8
        return !bytes.isEmpty && bytes.count <= 255 && bytes.first != UInt8(ascii: ".")
            && bytes.last != UInt8(ascii: ".")
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") }
    }

    /// Whether a domain is an IP address; one of IPv6 has brackets (RFC 7622 section 3.2).
    static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, withoutBrackets(text), &address) == 1
    }

    private static func withoutBrackets(_ text: String) -> String {
        guard text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") else { return text }
        return String(text.dropFirst().dropLast())
    }
}
