import XMPPCore
import XMPPCrypto
import XMPPSession

/// A contract: names and meanings stay, new ones may be added.
extension Client.Memory: Codable {
    private static let version = 1

    private enum Key: String, CodingKey {
        case version, account, userAgent, usedStrongMechanism, usedAnnouncedBinding, token, session
    }

    fileprivate struct Token: Codable {
        var mechanism: String
        var secret: String
        var expiry: String
    }

    fileprivate struct Session: Codable {
        var address: String
        var resource: String?
        var id: String
        var location: String?
        var maximum: Int?
        var inbound: UInt32
        var outbound: UInt32
        var acknowledged: UInt32
        var unacknowledged: [String]
        var features: String
    }

    /// Reads what `encode(to:)` wrote.
    ///
    /// - Throws: `DecodingError` where it is of another version, or no memory. A session that cannot be read is left out:
    ///   the next login then begins a new one.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        guard try values.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: values, debugDescription: "a memory of another version")
        }
        do {
            self.init(account: try BareJID(try values.decode(String.self, forKey: .account)))
        } catch is JIDError {
            throw DecodingError.dataCorruptedError(
                forKey: .account, in: values, debugDescription: "the account is no address")
        }
        userAgentID = try values.decode(String.self, forKey: .userAgent)
        login = LoginMemory(
            usedStrongMechanism: try values.decode(Bool.self, forKey: .usedStrongMechanism),
            usedAnnouncedBinding: try values.decode(Bool.self, forKey: .usedAnnouncedBinding))
        token = try values.decodeIfPresent(Token.self, forKey: .token).map {
            FASTToken(mechanism: $0.mechanism, token: Secret($0.secret), expiry: $0.expiry)
        }
        // It is only a shortcut: nothing is lost with it that a login does not bring.
        guard let saved = try? values.decodeIfPresent(Session.self, forKey: .session),
            let session = ResumableSession(saved), session.jid.bare == account
        else { return }
        (self.session, resource) = (session, saved.resource)
    }

    /// Writes all of it, the secrets too.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(Self.version, forKey: .version)
        try values.encode(account.description, forKey: .account)
        try values.encode(userAgentID, forKey: .userAgent)
        try values.encode(usedStrongMechanism, forKey: .usedStrongMechanism)
        try values.encode(usedAnnouncedBinding, forKey: .usedAnnouncedBinding)
        if let token {
            let secret = String(decoding: token.token.bytes, as: UTF8.self)
            try values.encode(
                Token(mechanism: token.mechanism, secret: secret, expiry: token.expiry), forKey: .token)
        }
        if let session { try values.encode(Session(session, resource: resource), forKey: .session) }
    }
}

extension Client.Memory.Session {
    init(_ session: ResumableSession, resource: String?) {
        self.init(
            address: session.jid.description, resource: resource, id: session.id, location: session.location,
            maximum: session.maximum, inbound: session.inbound, outbound: session.outbound,
            acknowledged: session.acknowledged,
            unacknowledged: session.unacknowledged.map { String(decoding: $0, as: UTF8.self) },
            features: String(decoding: session.features.serialized(inside: Namespace.client), as: UTF8.self))
    }
}

extension ResumableSession {
    fileprivate init?(_ saved: Client.Memory.Session) {
        guard let jid = try? JID(saved.address), !saved.id.isEmpty,
            saved.unacknowledged.count <= StreamManagement.keptStanzas,
            saved.unacknowledged.allSatisfy({ Element(onStream: $0).flatMap(Stanza.init) != nil }),
            let features = Element(savedStreamFeatures: saved.features)
        else { return nil }
        self.init(
            jid: jid, id: saved.id, location: saved.location, maximum: saved.maximum, inbound: saved.inbound,
            outbound: saved.outbound, acknowledged: saved.acknowledged,
            unacknowledged: saved.unacknowledged.map { Array($0.utf8) }, features: features)
        mayHaveSentMore = true
    }
}

extension Element {
    /// Stream features as they were saved; nil where they cannot be read.
    package init?(savedStreamFeatures text: String) {
        guard let element = Element(onStream: text), element.matches("features", Namespace.streams) else { return nil }
        self = element
    }

    /// One element as it stands on a stream; nil where the text is not just that.
    init?(onStream text: String) {
        // What we sent may have been larger than what we take.
        var limits = XMLLimits.normal
        limits.stanzaBytes = StreamManagement.keptBytes
        let parser = XMLStreamParser(limits: limits)
        let header = "<s:stream xmlns='\(Namespace.client)' xmlns:s='\(Namespace.streams)' version='1.0'>"
        let events = parser.feed(Array((header + text).utf8))
        guard events.count == 2, case .element(let element) = events[1], parser.unconsumedBytes == 0 else { return nil }
        self = element
    }
}
