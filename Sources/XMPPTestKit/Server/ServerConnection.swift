import XMPPCore
import XMPPTransport

/// One connection as the server has it.
struct ServerConnection {
    enum Stage {
        case plain
        /// The go-ahead for TLS is said.
        case securing
        case secured
        /// A challenge is out, or the proof in one.
        case exchanging(ServerExchange)
        case authenticated(BareJID)
        case bound(BareJID)
    }

    let number: Int
    let channel: any Channel
    let interceptor: Interceptor?
    let recorder: ConversationRecorder?
    let parser = XMLStreamParser(limits: .normal)
    var stage = Stage.plain
    /// The TLS that the server sees.
    var tls: TLSSummary?
    /// The domain that the client named.
    var domain = ""
    /// The stream's `from`, if it had one.
    var from: String?
    /// The address that was bound.
    var jid: JID?
    /// The id of its session, where stream management is on.
    var session: String?
    /// Answers that were not sent yet.
    var answers: [Element] = []
    /// Logins tried on this stream.
    var attempts = 0

    var account: BareJID? {
        switch stage {
        case .authenticated(let jid), .bound(let jid): jid
        case .plain, .securing, .secured, .exchanging: nil
        }
    }

    var isSecured: Bool {
        switch stage {
        case .plain, .securing: false
        case .secured, .exchanging, .authenticated, .bound: true
        }
    }

    var bindings: ServerBindings {
        guard let all = tls?.bindings else { return ServerBindings() }
        let named = [
            "tls-exporter": all.exporter, "tls-server-end-point": all.serverEndPoint, "tls-unique": all.unique,
        ]
        return ServerBindings(data: named.compactMapValues { $0 })
    }

    /// In one write.
    func send(_ text: String) { send(Array(text.utf8)) }

    /// In one write, without counting it.
    func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        guard let interceptor else { return pass(bytes) }
        pass(Array(interceptor.toClient(String(decoding: bytes, as: UTF8.self)).utf8))
    }

    private func pass(_ bytes: [UInt8]) {
        recorder?.record(.server, bytes, connection: number)
        channel.send(bytes)
    }
}

/// A login that is under way.
struct ServerExchange {
    enum Profile {
        /// RFC 6120 section 6.
        case sasl
        /// XEP-0388.
        case sasl2
    }

    var profile: Profile
    var mechanism: String
    /// `<auth/>` or `<authenticate/>`.
    var request: Element
    var scram: ServerSCRAM?
    /// Set once the password was right and the proof is out in a challenge.
    var proved: BareJID?

    var namespace: String { profile == .sasl ? Namespace.sasl : Names.sasl2 }
}

/// Somebody between the client and the server, who reads and writes all of it: as if TLS were broken.
///
/// Each function gets one write, as the server or the client made it, and says what goes on in its place.
public struct Interceptor: Sendable {
    /// What the server says, to what the client hears.
    public var toClient: @Sendable (String) -> String
    /// What the client says, to what the server hears.
    public var toServer: @Sendable (String) -> String

    /// Somebody who changes nothing but what is told.
    public init(
        toClient: @escaping @Sendable (String) -> String = { $0 },
        toServer: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.toClient = toClient
        self.toServer = toServer
    }
}

/// Namespaces of the login that only the wire knows.
enum Names {
    static let sasl2 = "urn:xmpp:sasl:2"
    static let bind2 = "urn:xmpp:bind:0"
    static let fast = "urn:xmpp:fast:0"
    static let streamManagement = "urn:xmpp:sm:3"
    static let channelBinding = "urn:xmpp:sasl-cb:0"
}
