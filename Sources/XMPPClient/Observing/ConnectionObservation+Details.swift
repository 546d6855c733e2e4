public import XMPPCore
import XMPPSession
import XMPPTransport

/// The same in types, each nil where the kind has none of it. Text that a peer wrote is cut, and in printable ASCII.
extension ConnectionObservation {
    /// How far a connection is, as an open set: compare with the named values.
    public struct Stage: Hashable, Sendable {
        /// Stable, for logs and scripts, in snake_case.
        public let name: String

        /// Looking the server up, and trying its addresses.
        public static let connecting = Stage(name: "connecting")
        /// From the connection to TLS.
        public static let securing = Stage(name: "securing")
        /// From TLS to the proof of who logs in.
        public static let authenticating = Stage(name: "authenticating")
        /// From there to a session.
        public static let binding = Stage(name: "binding")
        /// A session is there.
        public static let online = Stage(name: "online")
    }

    /// What TLS was agreed on.
    public struct TLS: Hashable, Sendable {
        /// Such as `TLSv1.3`.
        public let version: String
        /// Such as `TLS_AES_256_GCM_SHA384`.
        public let cipher: String
        /// Whether a TLS session of before was taken up again.
        public let isResumed: Bool
        /// The name by which the certificate was recognised, such as `DNS example.org`.
        public let verifiedName: String?
        /// When the server's certificate ends.
        public let certificateEnd: Timestamp?
        /// The server's key, in the form of ``Client/Options/Pin``.
        public let pin: Client.Options.Pin?
    }

    /// How the login is made, or was.
    public struct Login: Hashable, Sendable {
        /// The SASL mechanism, such as `SCRAM-SHA-256-PLUS`.
        public let mechanism: String
        /// The registered name of the channel binding, such as `tls-exporter`; nil where the login is not bound to TLS.
        public let channelBinding: String?
        /// Whether it goes by SASL2 (XEP-0388).
        public let usesSASL2: Bool
    }

    /// A session that is there.
    public struct Session: Hashable, Sendable {
        /// Whether it is the one of before, which goes on (XEP-0198).
        public let isResumed: Bool
        /// Whether one of before was to go on and does not: what was sent in it may be lost.
        public let hasLostPrevious: Bool
    }

    /// Something that did not work.
    public struct Failure: Hashable, Sendable {
        /// Stable, in snake_case, such as `certificate_refused` or `authentication_failed`.
        public let code: String
        /// The condition that the server named, where it is one that the RFCs know.
        public let condition: String?
    }

    /// The host and port, or the IP address and port, that is tried, did not work, or is reached.
    public var address: String? {
        switch detail {
        case .connecting(.host(let host, let port, _)), .redirected(.host(let host, let port, _)):
            shown(host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
        case .step(.trying(let address)), .step(.failed(let address, _)), .step(.reached(let address, _)),
            .passedOver(let address, _, _):
            shown(address)
        case .connecting, .redirected, .step, .secured, .negotiated, .established, .resumed, .managed, .unmanaged,
            .asked,
            .acknowledgementIgnored, .discarded, .senderInvalid, .memoryNotKept, .ended:
            nil
        }
    }

    /// TLS, once it is up.
    public var tls: TLS? {
        guard case .secured(let summary) = detail else { return nil }
        return TLS(
            version: summary.version, cipher: summary.cipher, isResumed: summary.isResumed,
            verifiedName: summary.verifiedName.map(shown),
            certificateEnd: summary.certificateEnd.map { Timestamp(milliseconds: $0 * 1000) },
            pin: summary.keyDigest.flatMap { Client.Options.Pin(digest: $0) })
    }

    /// The login, once its mechanism is chosen.
    public var login: Login? {
        switch detail {
        case .negotiated(.chose(let mechanism, let binding, let sasl2)),
            .negotiated(.authenticated(let mechanism, let binding, let sasl2)):
            Login(mechanism: mechanism, channelBinding: binding, usesSASL2: sasl2)
        case .established(let session): Login(session.login)
        case .resumed(let session): Login(session.login)
        case .connecting, .step, .secured, .negotiated(.offered), .managed, .unmanaged, .asked, .acknowledgementIgnored,
            .discarded, .senderInvalid, .passedOver, .redirected, .memoryNotKept, .ended:
            nil
        }
    }

    /// The session, when it begins or goes on.
    public var session: Session? {
        switch detail {
        case .established(let session): Session(isResumed: false, hasLostPrevious: session.failedResumption != nil)
        case .resumed: Session(isResumed: true, hasLostPrevious: false)
        case .connecting, .step, .secured, .negotiated, .managed, .unmanaged, .asked, .acknowledgementIgnored,
            .discarded, .senderInvalid, .passedOver, .redirected, .memoryNotKept, .ended:
            nil
        }
    }

    /// What did not work: a look-up, an address, whoever answered there, or the connection as it ended.
    ///
    /// Nil for an end that was wanted.
    public var failure: Failure? {
        switch detail {
        case .step(.unresolved(_, let error)), .step(.failed(_, let error)), .passedOver(_, _, let error?):
            Failure(code: error.code.identifier, condition: nil)
        case .ended(let end), .passedOver(_, let end, nil):
            ClientError(end).map { Failure(code: $0.reason ?? $0.code.name, condition: $0.condition) }
        case .connecting, .step, .secured, .negotiated, .established, .resumed, .managed, .unmanaged, .asked,
            .acknowledgementIgnored, .discarded, .senderInvalid, .redirected, .memoryNotKept:
            nil
        }
    }
}

extension ConnectionObservation.Stage {
    init(_ stage: ClientStage) {
        self =
            switch stage {
            case .connecting: .connecting
            case .securing: .securing
            case .authenticating: .authenticating
            case .binding: .binding
            case .online: .online
            }
    }
}

extension ConnectionObservation.Login {
    fileprivate init(_ report: LoginReport) {
        self.init(
            mechanism: report.mechanism, channelBinding: report.channelBinding?.rawValue, usesSASL2: report.usedSASL2)
    }
}

extension TransportError.Code {
    /// The name as one word.
    fileprivate var identifier: String {
        String(decoding: name.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "_") : $0 | 0x20 }, as: UTF8.self)
    }
}
