import Testing
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// Certificates of clients, pins and TLS sessions, against real servers.
@Suite(.serialized) struct ConnectionTLSTests {
    private func tls(_ talker: Talker) async throws -> TLSSummary {
        let secured = try await talker.seen.next { $0.kind == .secured }
        guard case .secured(let tls) = secured.detail else { throw HarnessError("no TLS") }
        return tls
    }

    @Test("an account logs in by its certificate, without a password (XEP-0178)", arguments: Venue.certificates)
    func external(venue: Venue) async throws {
        try await at(venue) { place in
            let identity = try await place.makeIdentity(place.account.description)
            let talker = try await Talker(place, password: "not used") { $0.identity = identity }
            let session = try await talker.established()
            #expect(session.login.mechanism == "EXTERNAL")
            #expect(session.login.memory.usedStrongMechanism)
            #expect(session.jid.bare == place.account)
            #expect(try await tls(talker).showedCertificate)
            guard case .result = await talker.request(Element("query", namespace: Namespace.roster)) else {
                Issue.record("no roster")
                return
            }
            await talker.stop()
        }
    }

    /// Not at the scripted server: it takes whom the test names for the owner of any certificate.
    @Test("another account's certificate does not let in", arguments: Venue.certificates.filter(\.isReal))
    func otherCertificate(venue: Venue) async throws {
        try await at(venue) { place in
            let identity = try await place.makeIdentity("somebody@elsewhere.test")
            let talker = try await Talker(place, password: "wrong") { $0.identity = identity }
            guard case .session(let error) = await talker.end.cause else {
                Issue.record("another end")
                return
            }
            #expect(error.code == .externalRefused)
        }
    }

    @Test("a second login takes its TLS up again, and is bound to it as any", arguments: Venue.all)
    func sessions(venue: Venue) async throws {
        try await at(venue) { place in
            let cache = TLSSessionCache()
            for isAgain in [false, true] {
                let talker = try await Talker(place) { $0.sessions = cache }
                let session = try await talker.established()
                #expect(session.login.mechanism == venue.mechanism)
                let tls = try await tls(talker)
                #expect(tls.isResumed == (isAgain && venue.givesTickets))
                // By then tickets have come.
                _ = await talker.request(Element("query", namespace: Namespace.roster))
                await talker.stop()
            }
        }
    }

    @Test("a pin of another key ends the connection before the login", arguments: Venue.some)
    func pins(venue: Venue) async throws {
        try await at(venue) { place in
            let talker = try await Talker(place) { $0.pins = [[UInt8](repeating: 1, count: 32)] }
            guard case .unreachable = await talker.end.cause else {
                Issue.record("another end")
                return
            }
            #expect(!place.relay.sent.contains("<auth"))
        }
    }
}
