public import XMPPCore
package import XMPPSession
package import XMPPTransport

/// Something that happened on a connection.
///
/// However it is printed, it shows its description only: what is behind it has texts of messages that are not acknowledged.
public struct ConnectionObservation: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
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
        /// A stanza was dropped because its sender is no address; a request was refused.
        public static let senderInvalid = Kind(name: "sender_invalid")
        /// Whoever answered at an address was not the server, as far as can be told; the next address is tried.
        public static let passedOver = Kind(name: "passed_over")
        /// The server sent us on to another host.
        public static let redirected = Kind(name: "redirected")
        /// What the logins leave could not be stored (`Client.Options.keep`).
        public static let memoryNotKept = Kind(name: "memory_not_kept")
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
        case senderInvalid(String)
        /// With the channel's error, where it was that.
        case passedOver(String, SessionEnd, TransportError?)
        case redirected(ServerAddress)
        case memoryNotKept
        case ended(SessionEnd)
    }

    /// What happened, with all that is known.
    package let detail: Detail
    /// How far the connection was.
    public let stage: Stage
    /// The account's full address, while there is a session.
    public let boundAddress: JID?

    package init(_ detail: Detail, stage: ClientStage, address: JID?) {
        self.detail = detail
        self.stage = Stage(stage)
        boundAddress = address
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
        case .senderInvalid: .senderInvalid
        case .passedOver: .passedOver
        case .redirected: .redirected
        case .memoryNotKept: .memoryNotKept
        case .ended: .ended
        }
    }

    /// The same as the description.
    public var debugDescription: String { description }

    /// No parts: `dump` shows nothing more.
    public var customMirror: Mirror { Mirror(self, children: []) }

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
        case .senderInvalid(let name): "a stanza whose sender is no address was dropped (\(shown(name)))"
        case .passedOver(let address, let end, _): "\(shown(address)) passed over: \(end)"
        case .redirected(let address): "the server sends us on to \(address.words)"
        case .memoryNotKept: "what is to be remembered could not be stored"
        case .ended(let end): "ended: \(end)"
        }
    }
}
