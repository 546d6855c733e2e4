import COpenSSL

/// What the verification of one handshake is for, and what came of it.
struct CertificateVerification {
    enum Refusal: Equatable {
        /// X509_V_ERR of OpenSSL's own verification.
        case chain(Int32)
        case wrongName(presented: String)
        /// An authority's certificate where a server's must be.
        case authority
        /// No pinned key in the chain; with the server's own, in base64.
        case unpinned(presented: String)
        /// The certificate ended while its session was kept.
        case ended
    }

    /// The reference identity (RFC 6125 6.2): the account's domain as A-label.
    let domain: String
    private let unicodeDomain: String?
    private let pins: [[UInt8]]
    private(set) var refusal: Refusal?
    /// The certificate's name that matched.
    private(set) var verifiedName: String?
    /// When the first certificate of the verified chain ends, in seconds since 1970.
    private(set) var validUntil = Int64.max

    init(_ settings: TLSSettings) {
        domain = settings.domain
        unicodeDomain = settings.unicodeDomain
        pins = settings.pins
    }

    /// OpenSSL's step: `isAccepted` is its own judgement of the certificate at hand, this adds the name and the pins.
    mutating func verify(isAccepted: Bool, _ store: OpaquePointer) -> Bool {
        guard isAccepted else {
            refusal = .chain(X509_STORE_CTX_get_error(store))
            return false
        }
        guard X509_STORE_CTX_get_error_depth(store) == 0, let certificate = X509_STORE_CTX_get_current_cert(store)
        else {
            return true
        }
        refusal = judge(certificate, chain: X509_STORE_CTX_get0_chain(store))
        guard let refusal else { return true }
        // Decides which alert the server gets.
        let isName = if case .wrongName = refusal { true } else { false }
        X509_STORE_CTX_set_error(store, isName ? X509_V_ERR_HOSTNAME_MISMATCH : X509_V_ERR_CERT_REJECTED)
        return false
    }

    private mutating func judge(_ certificate: OpaquePointer, chain: OpaquePointer?) -> Refusal? {
        let count = shim_chain_count(chain)
        // RFC 6120 13.7.2. A certificate which is itself among the trusted ones was chosen as it is.
        if count > 1 && shim_x509_is_authority(certificate) == 1 { return .authority }
        if let refusal = judgeName(certificate, chain: chain) { return refusal }
        var keys: [[UInt8]] = []
        for index in 0..<count {
            guard let link = shim_chain_certificate(chain, index) else { continue }
            validUntil = min(validUntil, shim_x509_end(link))
            guard !pins.isEmpty else { continue }
            if let key = keyDigest(link) { keys.append(key) }
        }
        if pins.isEmpty || keys.contains(where: pins.contains) { return nil }
        return .unpinned(presented: base64(keys.first ?? []))
    }

    private mutating func judgeName(_ certificate: OpaquePointer, chain: OpaquePointer?) -> Refusal? {
        verifiedName = CertificateName.match(
            certificate, chain: chain, domain: domain, unicodeDomain: unicodeDomain)
        return verifiedName == nil ? .wrongName(presented: CertificateName.list(certificate)) : nil
    }

    /// Judges a session that was taken up again.
    ///
    /// In such a handshake no certificate is shown. The server proved that it holds the session's secret, which only the
    /// server of the first handshake was given; the chain and the pins were verified there, under the very context and
    /// pins that are part of the session's key in the cache. What depends on more than the key is looked at again: OpenSSL's
    /// verdict that is stored in the session, the name, and the time.
    mutating func judgeResumed(
        _ certificate: OpaquePointer?, verdict: Int, validUntil: Int64, now: Int64
    ) -> Bool {
        self.validUntil = validUntil
        if let certificate, verdict == Int(X509_V_OK) {
            refusal = now >= validUntil ? .ended : judgeName(certificate, chain: nil)
        } else {
            refusal = .chain(Int32(truncatingIfNeeded: verdict))
        }
        return refusal == nil
    }
}

/// SHA-256 of a certificate's key (SubjectPublicKeyInfo).
func keyDigest(_ certificate: OpaquePointer) -> [UInt8]? {
    var key = [UInt8](repeating: 0, count: 32)
    return shim_x509_key_digest(certificate, &key) == 1 ? key : nil
}

private func base64(_ bytes: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
    return String(decoding: text.prefix(Int(count)), as: UTF8.self)
}

/// OpenSSL's verify callback.
///
/// A global function: a closure literal would inherit the isolation of its place.
func verifyPeerCertificate(_ accepted: Int32, _ store: OpaquePointer?) -> Int32 {
    guard let store,
        let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let engine = TLSEngine.of(OpaquePointer(ssl))
    else { return 0 }
    return engine.verification.verify(isAccepted: accepted == 1, store) ? 1 : 0
}
