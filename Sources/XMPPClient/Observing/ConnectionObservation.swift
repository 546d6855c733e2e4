package import XMPPSession
package import XMPPTransport

/// Something that happened on a connection.
public struct ConnectionObservation: Sendable {
    /// What kind it is, as an open set: compare with the named values.
    public struct Kind: Hashable, Sendable {
        /// Stable, for logs and scripts, in snake_case.
        public let name: String

        /// A connection is being made.
        public static let connecting = Kind(name: "connecting")
        /// A step on the way to the server: a name looked up, an address tried or reached.
        public static let step = Kind(name: "step")
        /// TLS is up and the certificate verified.
        public static let secured = Kind(name: "secured")
        /// A step of the login: what was offered, what was chosen.
        public static let negotiated = Kind(name: "negotiated")
        /// A new session: a resource is bound.
        public static let established = Kind(name: "established")
        /// The session of before goes on (XEP-0198 section 5).
        public static let resumed = Kind(name: "resumed")
        /// The server acknowledges stanzas from now on (XEP-0198).
        public static let managed = Kind(name: "managed")
        /// It offered to, and refused.
        public static let unmanaged = Kind(name: "unmanaged")
        /// The server was asked for a sign of life.
        public static let asked = Kind(name: "asked")
        /// An acknowledgement made no sense.
        public static let acknowledgementIgnored = Kind(name: "acknowledgement_ignored")
        /// A stanza over the limits was dropped.
        public static let discarded = Kind(name: "discarded")
        /// The server sent us on to another host.
        public static let redirected = Kind(name: "redirected")
        /// The connection is over.
        public static let ended = Kind(name: "ended")
    }

    /// The same, typed; what the public part is made of.
    package enum Detail: Sendable {
        case connecting(ServerAddress)
        case step(ConnectStep)
        case secured(TLSSummary)
        case negotiated(NegotiationStep)
        case established(EstablishedSession)
        case resumed(ResumedSession)
        case managed(StreamManagementStart)
        case unmanaged
        case asked(String)
        case acknowledgementIgnored(String)
        case discarded(String)
        case redirected(ServerAddress)
        case ended(SessionEnd)
    }

    /// What happened, with all that is known.
    package let detail: Detail

    package init(_ detail: Detail) {
        self.detail = detail
    }

    /// What happened.
    public var kind: Kind {
        switch detail {
        case .connecting: .connecting
        case .step: .step
        case .secured: .secured
        case .negotiated: .negotiated
        case .established: .established
        case .resumed: .resumed
        case .managed: .managed
        case .unmanaged: .unmanaged
        case .asked: .asked
        case .acknowledgementIgnored: .acknowledgementIgnored
        case .discarded: .discarded
        case .redirected: .redirected
        case .ended: .ended
        }
    }

    /// In words, for a person; safe to show.
    public var description: String {
        switch detail {
        case .connecting(let address): "connecting to \(address.words)"
        case .step(let step): step.words
        case .secured(let tls):
            "\(tls.version), \(tls.cipher)" + (tls.isResumed ? ", resumed" : "")
                + (tls.verifiedName.map { ", certificate for \(shown($0))" } ?? "")
        case .negotiated(let step): step.words
        case .established(let session):
            "bound as \(session.jid)" + (session.failedResumption == nil ? "" : "; the session of before is gone")
        case .resumed(let session): "the session of before goes on; the server has handled \(session.handled) stanzas"
        case .managed(let start):
            start.id == nil ? "stanzas are acknowledged" : "stanzas are acknowledged, and the session can be resumed"
        case .unmanaged: "the server offered to acknowledge stanzas, and refused"
        case .asked(let what): "asked the server for a sign of life (\(what))"
        case .acknowledgementIgnored(let what): "an acknowledgement made no sense: \(shown(what))"
        case .discarded(let name): "a stanza over the limits was dropped (\(shown(name)))"
        case .redirected(let address): "the server sends us on to \(address.words)"
        case .ended(let end): "ended: \(end)"
        }
    }
}

/// What a peer wrote, in printable ASCII and not at length.
private func shown(_ text: String) -> String {
    String(decoding: text.utf8.prefix(128).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
}

extension ServerAddress {
    fileprivate var words: String {
        switch self {
        case .host(let host, let port, let isDirectTLS): "\(shown(host)) port \(port)\(isDirectTLS ? " by TLS" : "")"
        case .domain(let domain): "the servers of \(shown(domain))"
        case .services(let domain, let isDirectTLS):
            "the servers of \(shown(domain)) by \(isDirectTLS ? "direct TLS" : "STARTTLS") only"
        }
    }
}

extension ConnectStep {
    fileprivate var words: String {
        switch self {
        case .found(let targets):
            targets.isEmpty
                ? "the domain has no SRV records: its own address is used"
                : "DNS names "
                    + targets.map { "\(shown($0.host)):\($0.port)\($0.isDirectTLS ? " (TLS)" : "")" }
                    .joined(separator: ", ")
        case .resolved(let host, let addresses): "\(shown(host)) is \(addresses.map(shown).joined(separator: ", "))"
        case .unresolved(let name, let error): "\(shown(name)) could not be looked up: \(error)"
        case .trying(let address): "trying \(shown(address))"
        case .failed(let address, let error): "\(shown(address)) failed: \(error)"
        case .reached(let address, let isDirectTLS): "reached \(shown(address))\(isDirectTLS ? ", TLS at once" : "")"
        }
    }
}

extension NegotiationStep {
    fileprivate var words: String {
        switch self {
        case .offered(let isSecured, let sasl2, let mechanisms, let bindings, let inline):
            "offered \(isSecured ? "within" : "before") TLS\(sasl2 ? " (SASL2)" : ""): "
                + (mechanisms.isEmpty ? "no login" : mechanisms.map(shown).joined(separator: ", "))
                + (bindings.map { "; channel bindings \($0.map(shown).joined(separator: ", "))" } ?? "")
                + (inline.isEmpty ? "" : "; with the login \(inline.map(shown).joined(separator: ", "))")
        case .chose(let mechanism, let binding, let sasl2):
            "login by \(mechanism)\(sasl2 ? " (SASL2)" : "")" + (binding.map { ", bound to TLS by \($0)" } ?? "")
        case .authenticated(let mechanism): "logged in by \(mechanism)"
        }
    }
}
