import Glibc

/// Why a connection could not be made, was lost, or an address could not be listened on.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        package let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// A name could not be looked up.
        package static let dnsFailed = Code("name lookup failed")
        /// The domain says in DNS that it has no XMPP service for clients (SRV target `.`).
        package static let serviceNotOffered = Code("service not offered")
        /// No address could be connected to.
        package static let connectFailed = Code("connecting failed")
        /// A deadline passed: connecting, or the TLS handshake.
        package static let timedOut = Code("timed out")
        /// The established connection broke.
        package static let connectionLost = Code("connection lost")
        /// The server's certificate is not to be trusted; `certificateProblem` says why.
        package static let certificateRejected = Code("certificate refused")
        /// The server's certificate is to be trusted, but none of its chain has a key that the account pins.
        package static let pinMismatch = Code("pinned key missing")
        /// TLS failed for another reason than the certificate.
        package static let tlsFailed = Code("TLS failed")
        /// The connection ended without TLS's own end: what came last may be cut off.
        package static let tlsTruncated = Code("TLS cut off")
        /// Bytes came in clear where TLS had to begin (an attacker's, RFC 6120 5.4.3.3).
        package static let plaintextAfterStartTLS = Code("plain text where TLS must begin")
        /// The peer reads too slowly for what is sent to it.
        package static let outputOverflow = Code("too much unsent output")
        /// The channel was closed before.
        package static let closed = Code("closed")
        /// The file of trusted authorities cannot be read or holds none.
        package static let caFileUnreadable = Code("authorities unreadable")
        /// A server's own certificate or key cannot be read.
        package static let certificateUnreadable = Code("certificate unreadable")
        /// The path of a Unix socket has over 107 bytes.
        package static let socketPathTooLong = Code("socket path too long")
        /// The folder of a Unix socket lets others in.
        package static let unsafeFolder = Code("unsafe folder")
        /// Someone listens there already.
        package static let addressInUse = Code("address in use")
        /// There is no socket at the path.
        package static let noSocket = Code("no socket there")
        /// There is a socket at the path, and nobody listens on it.
        package static let nobodyListens = Code("nobody listens")
        /// A line over the limit came.
        package static let lineTooLong = Code("line too long")
        /// Another call of the system failed.
        package static let system = Code("system call failed")
    }

    package let code: Code
    /// What failed, in words: safe to show.
    package let detail: String
    /// Why a certificate was refused; `nil` for every other code.
    package let certificateProblem: CertificateProblem?

    package init(_ code: Code, _ detail: String, certificateProblem: CertificateProblem? = nil) {
        self.code = code
        self.detail = detail
        self.certificateProblem = certificateProblem
    }

    /// With the system's text for an `errno` value.
    package init(_ code: Code, _ detail: String, errno error: Int32) {
        self.init(code, "\(detail): \(systemText(error))")
    }

    package var description: String { "\(code.name): \(detail)" }
}

/// Those that both kinds of channels have.
extension TransportError {
    static let outputOverflow = TransportError(
        .outputOverflow,
        "over \(ChannelLimits.unsentBytes >> 20) MiB wait to be sent: the peer does not read"
    )
    static let plaintextAfterStartTLS = TransportError(
        .plaintextAfterStartTLS,
        "the peer sent more in clear after it agreed to TLS; this may be an attack"
    )
    static let endedInHandshake = TransportError(
        .tlsFailed,
        "the peer ended the connection within the TLS handshake: it may speak no TLS there, or turn this address away; "
            + "check the host and the port, and the server's log"
    )
    /// Where TLS begins with the connection, nothing was agreed to.
    static let plaintextInsteadOfTLS = TransportError(
        .plaintextAfterStartTLS,
        "the peer speaks in clear there, and not TLS from the first byte"
    )
}

/// Why a certificate was refused, as an open set.
package struct CertificateProblem: Hashable, Sendable {
    package let name: String

    private init(_ name: String) {
        self.name = name
    }

    package static let expired = CertificateProblem("expired")
    package static let notYetValid = CertificateProblem("not yet valid")
    package static let selfSigned = CertificateProblem("self-signed")
    package static let unknownAuthority = CertificateProblem("unknown authority")
    package static let wrongName = CertificateProblem("wrong name")
    package static let wrongPurpose = CertificateProblem("wrong purpose")
    package static let weak = CertificateProblem("weak key or signature")
    package static let other = CertificateProblem("other")
}

/// The system's text for an `errno` value.
func systemText(_ error: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    // The XSI variant: it returns a status and fills the buffer.
    guard strerror_r(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
    return cText(buffer)
}
