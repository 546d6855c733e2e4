import XMPPCore

extension Client.Options {
    /// A public key by its digest: one that must be in the server's chain of certificates.
    public struct Pin: Hashable, Sendable, CustomStringConvertible {
        /// SHA-256 of the key's SubjectPublicKeyInfo: 32 bytes.
        public let digest: [UInt8]

        /// A pin, where the digest has 32 bytes.
        ///
        /// - Parameter digest: SHA-256 of the key's SubjectPublicKeyInfo (DER).
        public init?(digest: [UInt8]) {
            guard digest.count == 32 else { return nil }
            self.digest = digest
        }

        /// Reads `sha256/` and the Base64 of the digest, where the text is that.
        ///
        /// So it is shown by `doorward check --connect`, and comes out of this:
        ///
        ///     openssl x509 -in server.crt -noout -pubkey | openssl pkey -pubin -outform der |
        ///         openssl dgst -sha256 -binary | base64
        public init?(_ text: String) {
            let prefix = "sha256/"
            guard text.utf8.starts(with: prefix.utf8), let digest = Base64.decode(String(text.dropFirst(prefix.count)))
            else { return nil }
            self.init(digest: digest)
        }

        /// As it is read.
        public var description: String { "sha256/" + Base64.encode(digest) }
    }
}
