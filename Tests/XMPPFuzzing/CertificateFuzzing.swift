import XMPPTransport

private let domains: [(domain: String, unicode: String?)] = [
    ("example.org", nil), ("im.example.org", nil), ("xn--bcher-kva.example", "b\u{FC}cher.example"),
    ("192.0.2.1", nil), ("2001:db8::1", nil), ("org", nil),
]

/// The first byte chooses the account's domain, the rest is a certificate in DER.
func fuzzCertificate(_ input: [UInt8]) -> String? {
    guard let choice = input.first else { return nil }
    let (domain, unicode) = domains[Int(choice) % domains.count]
    guard let read = CertificateReading(der: Array(input.dropFirst()), domain: domain, unicodeDomain: unicode) else {
        return nil
    }
    if read.names.utf8.count > 255 || !read.names.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
        return "names that are not to be shown"
    }
    guard let matched = read.matched else { return nil }
    // The same domain, or all of it behind its first label.
    let parent = domain.split(separator: ".", maxSplits: 1).last.map { "*." + $0 }
    let allowed = [
        "DNS \(domain)", parent.map { "DNS \($0)" }, "SRV _xmpp-client.\(domain)", "XMPP \(domain)", "IP \(domain)",
    ]
    return allowed.contains(matched.lowercasedTail) ? nil : "\(matched) for \(domain)"
}

extension String {
    /// In lower case behind its kind: host names are the same in any case.
    fileprivate var lowercasedTail: String {
        let parts = split(separator: " ", maxSplits: 1)
        return parts.count == 2 ? "\(parts[0]) \(parts[1].lowercased())" : self
    }
}
