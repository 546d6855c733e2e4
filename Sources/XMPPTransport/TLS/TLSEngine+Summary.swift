import COpenSSL

/// What the handshake agreed on.
extension TLSEngine {
    var summary: TLSSummary {
        TLSSummary(
            version: SSL_get_version(ssl).map { String(cString: $0) } ?? "",
            cipher: shim_ssl_cipher_name(ssl).map { String(cString: $0) } ?? "",
            versionNumber: UInt16(truncatingIfNeeded: SSL_version(ssl)),
            isResumed: isResumed,
            bindings: TLSChannelBindings(exporter: exporter, serverEndPoint: serverEndPoint, unique: unique),
            verifiedName: verification.verifiedName,
            certificateEnd: serverCertificate.map { shim_x509_end($0) },
            keyDigest: serverCertificate.flatMap { keyDigest($0) },
            applicationProtocol: applicationProtocol,
            serverName: SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) },
            showedCertificate: showedCertificate || role == .server,
            peerShowedCertificate: SSL_get0_peer_certificate(ssl) != nil
        )
    }

    /// What the server showed; in a resumed handshake the session has it.
    private var serverCertificate: OpaquePointer? { role == .client ? SSL_get0_peer_certificate(ssl) : nil }

    private var isResumed: Bool { SSL_session_reused(ssl) == 1 }
    private var isTLS12: Bool { SSL_version(ssl) == TLS1_2_VERSION }
    private var hasExtendedMasterSecret: Bool { shim_ssl_has_extended_master_secret(ssl) == 1 }

    /// RFC 7301.
    var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// RFC 9266 4.2: with TLS 1.2 only where the extended master secret makes it unique.
    private var exporter: [UInt8]? {
        guard !isTLS12 || hasExtendedMasterSecret else { return nil }
        let label = "EXPORTER-Channel-Binding"
        var bytes = [UInt8](repeating: 0, count: 32)
        // The context is there and empty, which with TLS 1.2 is not the same as none.
        let context: [UInt8] = [0]
        guard
            SSL_export_keying_material(ssl, &bytes, bytes.count, label, label.utf8.count, context, 0, 1) == 1
        else { return nil }
        return bytes
    }

    /// RFC 5929 4.1; in a resumed handshake the certificate is the session's.
    private var serverEndPoint: [UInt8]? {
        let certificate = role == .client ? SSL_get0_peer_certificate(ssl) : SSL_get_certificate(ssl)
        guard let certificate, let hash = shim_x509_end_point_hash(certificate) else { return nil }
        return certificateDigest(certificate, hash)
    }

    /// RFC 5929 3.1: the first Finished message, which is the client's in a full handshake and the server's in a resumed
    /// one.
    ///
    /// RFC 7627: a resumed session is unique only with the extended master secret.
    private var unique: [UInt8]? {
        guard isTLS12, !isResumed || hasExtendedMasterSecret else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        let isOurs = (role == .client) != isResumed
        let count =
            isOurs ? SSL_get_finished(ssl, &bytes, bytes.count) : SSL_get_peer_finished(ssl, &bytes, bytes.count)
        return count > 0 && count <= bytes.count ? Array(bytes.prefix(count)) : nil
    }
}
