import Synchronization
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

/// A server to hold a conversation with, and what a login there comes to.
struct Venue: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable {
        case scripted
        case real(ServerKind)
    }

    enum Door: Sendable {
        case startTLS
        /// TLS from the start (XEP-0368).
        case direct
        /// STARTTLS, and TLS 1.2 only.
        case old
    }

    var testDescription: String
    var kind: Kind
    var host: String
    var door = Door.startTLS
    /// The mechanism of a login by password.
    var mechanism: String
    /// Of the behaviour of a scripted server.
    var behaviour = ServerBehaviour.modern
    var usesSASL2 = false
    /// The mechanism of the next login, where there are tokens.
    var tokenMechanism: String?

    /// Whether a login takes up the TLS of the one before: Prosody and ejabberd as they come give no tickets.
    var givesTickets: Bool { !isReal }

    var isReal: Bool { if case .real = kind { true } else { false } }

    var tls: String { door == .old ? "TLSv1.2" : "TLSv1.3" }

    static let all: [Venue] = [
        Venue(
            testDescription: "scripted, SASL2 and direct TLS", kind: .scripted, host: Hosts.bots, door: .direct,
            mechanism: "SCRAM-SHA-256-PLUS", usesSASL2: true, tokenMechanism: "HT-SHA-256-EXPR"),
        Venue(
            testDescription: "scripted, SASL", kind: .scripted, host: Hosts.bots, mechanism: "SCRAM-SHA-256-PLUS",
            behaviour: {
                var behaviour = ServerBehaviour.modern
                behaviour.sasl2 = nil
                return behaviour
            }()),
        Venue(
            testDescription: "Prosody", kind: .real(.prosody), host: Hosts.streams, mechanism: "SCRAM-SHA-1"),
        Venue(
            testDescription: "Prosody, direct TLS", kind: .real(.prosody), host: Hosts.streams, door: .direct,
            mechanism: "SCRAM-SHA-1"),
        Venue(
            testDescription: "Prosody, TLS 1.2", kind: .real(.prosody), host: Hosts.old, door: .old,
            mechanism: "SCRAM-SHA-1-PLUS"),
        Venue(
            testDescription: "Prosody, SHA-256", kind: .real(.prosody), host: Hosts.sha256,
            mechanism: "SCRAM-SHA-256"),
        Venue(
            testDescription: "Prosody, SASL2, Bind2 and FAST", kind: .real(.prosody), host: Hosts.modern,
            mechanism: "SCRAM-SHA-1", usesSASL2: true, tokenMechanism: "HT-SHA-256-EXPR"),
        Venue(
            testDescription: "ejabberd", kind: .real(.ejabberd), host: Hosts.streams, mechanism: "SCRAM-SHA-1"),
        Venue(
            testDescription: "ejabberd, direct TLS", kind: .real(.ejabberd), host: Hosts.streams, door: .direct,
            mechanism: "SCRAM-SHA-1"),
        Venue(
            testDescription: "ejabberd, TLS 1.2", kind: .real(.ejabberd), host: Hosts.streams, door: .old,
            mechanism: "SCRAM-SHA-1-PLUS"),
        Venue(
            testDescription: "ejabberd, SHA-256", kind: .real(.ejabberd), host: Hosts.sha256,
            mechanism: "SCRAM-SHA-256"),
        Venue(
            testDescription: "ejabberd, SHA-512", kind: .real(.ejabberd), host: Hosts.sha512,
            mechanism: "SCRAM-SHA-512"),
    ]

    /// Logins by a client's certificate.
    static let certificates: [Venue] = [
        Venue(
            testDescription: "scripted, EXTERNAL", kind: .scripted, host: Hosts.bots, mechanism: "EXTERNAL",
            behaviour: external(ServerBehaviour())),
        Venue(
            testDescription: "scripted, EXTERNAL and SASL2", kind: .scripted, host: Hosts.bots, door: .direct,
            mechanism: "EXTERNAL", behaviour: external(.modern), usesSASL2: true),
        Venue(
            testDescription: "Prosody, EXTERNAL", kind: .real(.prosody), host: Hosts.certificates,
            mechanism: "EXTERNAL"),
    ]

    private static func external(_ behaviour: ServerBehaviour) -> ServerBehaviour {
        var behaviour = behaviour
        behaviour.mechanisms.append("EXTERNAL")
        return behaviour
    }

    /// Those that differ in how sessions begin and go on.
    static let some = all.filter {
        ["scripted, SASL2 and direct TLS", "scripted, SASL", "Prosody", "Prosody, SASL2, Bind2 and FAST", "ejabberd"]
            .contains($0.testDescription)
    }

    /// Opens it for a test, with an account of the test's own.
    func open() async throws -> Place {
        let user = "conv-\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
        switch kind {
        case .scripted:
            let authority = try TestAuthority()
            let server = try ScriptedServer()
            await server.behave { $0 = behaviour }
            let certificate = try authority.certificate(for: host)
            let usesCertificates = mechanism == "EXTERNAL"
            if usesCertificates { await server.behave { $0.certificateOwner = "\(user)@\(host)" } }
            let port = try await server.listen(
                with: certificate, isDirectTLS: door == .direct, clientsOf: usesCertificates ? authority : nil)
            let place = try Place(
                self, BareJID("\(user)@\(host)"), caFile: authority.caFile,
                relay: Relay(to: port),
                addUser: { name, password in
                    await server.add(try BareJID("\(name)@\(host)"), password: password)
                },
                makeIdentity: { account in
                    let own = try authority.clientCertificate(for: account)
                    return try TLSIdentity.load(certificateFile: own.certificateFile, keyFile: own.keyFile)
                },
                close: {
                    await server.stopListening()
                    server.stop()
                    withExtendedLifetime(authority) {}
                })
            try await place.addUser(user, "secret")
            return place
        case .real(let kind):
            let server = try await Servers.shared.server(kind)
            let port =
                switch door {
                case .startTLS: server.port
                case .direct: server.directPort
                case .old: (server as? EjabberdServer)?.oldPort ?? server.port
                }
            let place = try Place(
                self, BareJID("\(user)@\(host)"), caFile: server.caFile,
                relay: Relay(to: port),
                addUser: { try await server.addUser($0, at: host, password: $1) },
                makeIdentity: { account in
                    let folder = server.folder
                    try await Certificates.certificate(user, ofAccount: account, in: folder)
                    return try TLSIdentity.load(
                        certificateFile: "\(folder)/\(user).crt", keyFile: "\(folder)/\(user).key")
                }, close: {})
            try await place.addUser(user, "secret")
            return place
        }
    }
}

/// An open venue.
final class Place: Sendable {
    let venue: Venue
    let account: BareJID
    /// One for all logins there: TLS is taken up again under the same trust only.
    let trust: TLSContext
    let caFile: String
    /// Between the client and the server: where links are cut.
    let relay: Relay
    let addUser: @Sendable (_ name: String, _ password: String) async throws -> Void
    /// Makes a certificate of an account's own.
    let makeIdentity: @Sendable (_ account: String) async throws -> TLSIdentity
    private let whenClosed: @Sendable () async -> Void

    init(
        _ venue: Venue, _ account: BareJID, caFile: String, relay: Relay,
        addUser: @escaping @Sendable (String, String) async throws -> Void,
        makeIdentity: @escaping @Sendable (String) async throws -> TLSIdentity,
        close: @escaping @Sendable () async -> Void
    ) throws {
        self.venue = venue
        self.account = account
        self.caFile = caFile
        trust = try TLSContext.client(caFile: caFile)
        self.relay = relay
        self.addUser = addUser
        self.makeIdentity = makeIdentity
        whenClosed = close
    }

    var address: ServerAddress { .host("127.0.0.1", port: relay.port, isDirectTLS: venue.door == .direct) }

    func close() async {
        relay.close()
        await whenClosed()
    }
}

/// Opens a venue for a test, and closes it however that goes.
func at(_ venue: Venue, _ body: (Place) async throws -> Void) async throws {
    let place = try await venue.open()
    do {
        try await body(place)
    } catch {
        await place.close()
        throw error
    }
    await place.close()
}
