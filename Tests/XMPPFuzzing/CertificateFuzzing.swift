import COpenSSL
import XMPPTransport

/// The bytes are a certificate in DER.
func fuzzCertificate(_ input: [UInt8]) -> String? {
    let certificate: OpaquePointer? = input.withUnsafeBufferPointer { bytes in
        var start = bytes.baseAddress
        return d2i_X509(nil, &start, bytes.count)
    }
    ERR_clear_error()
    guard let certificate else { return nil }
    defer {
        X509_free(certificate)
        ERR_clear_error()
    }
    let list = CertificateName.list(certificate)
    if list.utf8.count > 255 { return "names of \(list.utf8.count) bytes" }
    if !list.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return "names with control characters" }
    // What else is read of one.
    var digest = [UInt8](repeating: 0, count: 32)
    _ = (shim_x509_end(certificate), shim_x509_is_authority(certificate), shim_x509_end_point_hash(certificate))
    _ = shim_x509_key_digest(certificate, &digest)
    for domain in ["example.org", "chat.example.org", "xn--bcher-kva.example", "192.0.2.1", "127.0.0.1", "::1"] {
        let unicode = domain.hasPrefix("xn--") ? "b\u{FC}cher.example" : nil
        let name = CertificateName.match(certificate, domain: domain, unicodeDomain: unicode)
        if let problem = name.flatMap({ fault(of: $0, for: domain) }) { return problem }
        // Case makes no difference.
        if (CertificateName.match(certificate, domain: domain.uppercased(), unicodeDomain: unicode) == nil)
            != (name == nil)
        {
            return "\(domain) matches in one case only"
        }
    }
    return nil
}

/// What is wrong with a name that was taken for a domain's.
private func fault(of name: String, for domain: String) -> String? {
    let rest = domain.split(separator: ".").dropFirst().joined(separator: ".")
    let isAddress = domain.utf8.contains(UInt8(ascii: ":")) || domain.utf8.allSatisfy { $0 < UInt8(ascii: "A") }
    var allowed = ["DNS \(domain)", "SRV _xmpp-client.\(domain)", "XMPP \(domain)"]
    if rest.utf8.contains(UInt8(ascii: ".")) { allowed.append("DNS *.\(rest)") }
    if isAddress { allowed = ["IP \(domain)"] }
    return allowed.contains { $0.lowercased() == name.lowercased() } ? nil : "\(name) is taken for \(domain)"
}
