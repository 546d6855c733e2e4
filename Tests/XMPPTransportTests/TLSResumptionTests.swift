import Foundation
import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("A resumed session")
struct TLSResumptionTests {
    private let workshop: CertificateWorkshop
    private let sessions = TLSSessionCache()

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
    }

    private func server(
        _ version: UInt16, tickets: Int = 2, _ change: (inout TLSServerOptions) -> Void = { _ in }
    ) throws -> TLSContext {
        var options = TLSServerOptions()
        options.versions = version...version
        options.tickets = tickets
        change(&options)
        // Two names, so that one server serves two accounts' domains.
        var request = CertificateWorkshop.Request()
        request.names = "DNS:example.org,DNS:example.net"
        return try workshop.server(request, options: options)
    }

    private func client(_ context: TLSContext? = nil) throws -> TLSSettings {
        var settings = TLSSettings(domain: "example.org", context: try context ?? workshop.client())
        settings.sessions = sessions
        settings.peer = "here:5222"
        return settings
    }

    @Test("is taken up at the next connection, and gives the next one", arguments: [0x0303, 0x0304] as [UInt16])
    func again(_ version: UInt16) async throws {
        let (server, client) = (try server(version), try client())
        try await withLoop { loop in
            let first = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(!first.client.isResumed)
            for _ in 0..<4 {
                #expect(sessions.count == 1)
                let next = try await TLSMeeting.passing(on: loop, server: server, client: client)
                #expect(next.client.isResumed)
                #expect(next.client.verifiedName == "DNS example.org")
            }
        }
    }

    @Test("is taken up also after the connection was cut", arguments: [0x0303, 0x0304] as [UInt16])
    func afterCut(_ version: UInt16) async throws {
        let (server, client) = (try server(version), try client())
        try await withLoop { loop in
            for isResumed in [false, true, true] {
                let meeting = try await TLSMeeting.make(on: loop, server: server, client: client)
                #expect(meeting.client.isResumed == isResumed)
                try await meeting.wire.onLoop { $0.client.abort() }
                try await meeting.wire.clientEvents.waitForClosure()
            }
        }
    }

    @Test("is used once: two connections at once take two, or one does a full handshake")
    func once() async throws {
        let (server, client) = (try server(0x0304), try client())
        try await withLoop { loop in
            try await TLSMeeting.passing(on: loop, server: server, client: client)
            let key = TLSSessionCache.Key(client)
            let taken = try #require(sessions.take(key))
            #expect(sessions.take(key) == nil)
            let next = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(!next.client.isResumed)
            _ = sessions.keep(taken, for: key, replacing: nil)
            #expect(sessions.count == 2)
        }
    }

    /// A change of one rule each, behind which no session of before may be used.
    enum Rule: CaseIterable, Sendable {
        case host, port, domain, unicodeDomain, authorities, sameAuthoritiesLoadedAgain, onePin, otherPin, noPin
        case identity, otherIdentity, noIdentity
    }

    @Test("is never taken up under other rules than it was verified by", arguments: Rule.allCases)
    func rules(_ rule: Rule) async throws {
        let server = try server(0x0304)
        let (leaf, root) = (try workshop.pin("elliptic"), try workshop.pin("root"))
        var before = try client()
        if [.otherPin, .noPin].contains(rule) { before.pins = [leaf] }
        if [.otherIdentity, .noIdentity].contains(rule) { before.identity = try workshop.identity() }
        var after = before
        switch rule {
        case .host: after.peer = "there:5222"
        case .port: after.peer = "here:5223"
        case .domain: after.domain = "example.net"
        case .unicodeDomain: after.unicodeDomain = "exämple.org"
        case .authorities:
            let file = workshop.file("both.pem")
            let both = try ["root.pem", "stranger.pem"].map {
                try String(contentsOfFile: workshop.file($0), encoding: .utf8)
            }
            try both.joined().write(toFile: file, atomically: true, encoding: .utf8)
            after.context = try TLSContext.client(caFile: file)
        case .sameAuthoritiesLoadedAgain: after.context = try workshop.client()
        case .onePin: after.pins = [leaf]
        case .otherPin: after.pins = [root]
        case .noPin: after.pins = []
        case .identity, .otherIdentity: after.identity = try workshop.identity("other@example.org")
        case .noIdentity: after.identity = nil
        }
        try await withLoop { [before, after] loop in
            try await TLSMeeting.passing(on: loop, server: server, client: before)
            let changed = try await TLSMeeting.passing(on: loop, server: server, client: after)
            #expect(!changed.client.isResumed)
            // The same rules as before: the session is there still.
            let unchanged = try await TLSMeeting.passing(on: loop, server: server, client: before)
            #expect(unchanged.client.isResumed)
        }
    }

    @Test("is kept for the server that the channel goes to, where nobody names it, and nowhere without a cache")
    func unnamed() async throws {
        let server = try server(0x0304)
        var unnamed = try client()
        unnamed.peer = ""
        var uncached = try client()
        uncached.sessions = nil
        try await withLoop { [unnamed, uncached] loop in
            for (client, count) in [(uncached, 0), (unnamed, 1), (uncached, 1), (unnamed, 2)] {
                // Each time at another port.
                let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
                #expect(!ends.client.isResumed)
                #expect(sessions.count == count)
            }
            #expect(sessions.take(TLSSessionCache.Key(unnamed)) == nil)
        }
    }

    @Test("is kept under the name of what was connected to, unless another one is given")
    func named() async throws {
        let server = try server(0x0304)
        var unnamed = try client()
        unnamed.peer = ""
        try await withLoop { [unnamed] loop in
            // Each meeting has a port of its own, and so a name of its own.
            for _ in 0..<2 {
                let ends = try await TLSMeeting.passing(on: loop, server: server, client: unnamed)
                #expect(!ends.client.isResumed)
            }
            #expect(sessions.count == 2)
        }
    }

    @Test(
        "is looked at again: the name, OpenSSL's verdict and the time",
        arguments: [0x0303, 0x0304] as [UInt16]
    )
    func lookedAtAgain(_ version: UInt16) async throws {
        let (server, client) = (try server(version), try client())
        try await withLoop { loop in
            // As a fault in the key would do: a session of example.org under another account's rules.
            try await TLSMeeting.passing(on: loop, server: server, client: client)
            var other = client
            other.domain = "example.com"
            let session = try #require(sessions.take(TLSSessionCache.Key(client)))
            _ = sessions.keep(session, for: TLSSessionCache.Key(other), replacing: nil)
            let error = try await TLSMeeting.failing(on: loop, server: server, client: other)
            #expect(error.code == .certificateRejected)
            #expect(error.certificateProblem == .wrongName)
            #expect(sessions.take(TLSSessionCache.Key(other)) == nil)
        }
    }

    @Test("is not used past the end of its certificates, nor a day after they were looked at")
    func ageOfTrust() async throws {
        let time = ManualTime(wallMilliseconds: SystemTime().wallMilliseconds)
        let sessions = TLSSessionCache(time: time)
        var request = CertificateWorkshop.Request()
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.locale = Locale(identifier: "en_US_POSIX")
        for (hours, end) in [(2.0, Duration.seconds(2 * 3600)), (100, .seconds(24 * 3600))] {
            let start = Date(timeIntervalSince1970: Double(time.wallMilliseconds / 1000))
            request.end = formatter.string(from: start.addingTimeInterval(hours * 3600))
            var options = TLSServerOptions()
            options.tickets = 1
            let server = try workshop.server(request, options: options)
            var client = try workshop.settings()
            client.sessions = sessions
            client.peer = "here:5222"
            let key = TLSSessionCache.Key(client)
            try await withLoop { [client] loop in
                try await TLSMeeting.passing(on: loop, server: server, client: client)
                let session = try #require(sessions.take(key))
                #expect(abs(session.trustedUntil - time.wallMilliseconds / 1000 - end.components.seconds) <= 60)
                // A resumed one has what is left, not more.
                _ = sessions.keep(session, for: key, replacing: nil)
                let next = try await TLSMeeting.passing(on: loop, server: server, client: client)
                #expect(next.client.isResumed)
                let heir = try #require(sessions.take(key))
                #expect(heir.trustedUntil == session.trustedUntil)
                _ = sessions.keep(heir, for: key, replacing: nil)
                time.jumpWall(byMilliseconds: (heir.trustedUntil + 1) * 1000 - time.wallMilliseconds)
                #expect(sessions.take(key) == nil)
                time.jumpWall(byMilliseconds: SystemTime().wallMilliseconds - time.wallMilliseconds)
            }
        }
    }

    @Test("of a certificate that ended meanwhile is refused even where the server takes it up")
    func endedMeanwhile() async throws {
        let (server, client) = (try server(0x0304), try client())
        try await withLoop { loop in
            try await TLSMeeting.passing(on: loop, server: server, client: client)
            let now = sessions.now
            func error(_ certificate: OpaquePointer?, verdict: Int, validUntil: Int64) -> TransportError? {
                var verification = CertificateVerification(client)
                let isGood = verification.judgeResumed(
                    certificate,
                    verdict: verdict,
                    validUntil: validUntil,
                    now: now
                )
                #expect(isGood == (verification.error == nil))
                return verification.error
            }
            let session = try #require(sessions.take(TLSSessionCache.Key(client)))
            let peer = session.peerCertificate
            #expect(error(peer, verdict: 0, validUntil: now + 1) == nil)
            #expect(error(nil, verdict: 0, validUntil: now + 1)?.code == .certificateRejected)
            #expect(error(peer, verdict: 0, validUntil: now)?.certificateProblem == .expired)
            // Self-signed, as OpenSSL noted it down.
            #expect(error(peer, verdict: 18, validUntil: now + 1)?.certificateProblem == .selfSigned)
        }
    }

    @Test("is not kept with TLS 1.2 where there is no extended master secret (RFC 7627 5.2)")
    func withoutExtendedMasterSecret() async throws {
        let (server, client) = (try server(0x0303) { $0.hasExtendedMasterSecret = false }, try client())
        try await withLoop { loop in
            for _ in 0..<2 {
                let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
                #expect(!ends.client.isResumed)
            }
            #expect(sessions.count == 0)
        }
    }

    @Test(
        "that the server has forgotten costs a full handshake and nothing else",
        arguments: [0x0303, 0x0304] as [UInt16])
    func forgottenByServer(_ version: UInt16) async throws {
        let client = try client()
        let servers = [try server(version), try server(version)]
        try await withLoop { loop in
            for server in servers {
                let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
                #expect(!ends.client.isResumed)
            }
            let ends = try await TLSMeeting.passing(on: loop, server: servers[1], client: client)
            #expect(ends.client.isResumed)
        }
    }

    @Test("goes with its fellows when a handshake fails that offered one, or whose certificate is refused")
    func failure() async throws {
        let client = try client()
        let good = try server(0x0304)
        let bad = try workshop.server(CertificateRow("DNS:example.net", for: "example.org").request)
        try await withLoop { loop in
            // Three at once, so that three are kept.
            var meetings: [TLSMeeting] = []
            var taken: [TLSSession] = []
            let key = TLSSessionCache.Key(client)
            for _ in 0..<3 {
                meetings.append(try await TLSMeeting.make(on: loop, server: good, client: client))
                if let session = sessions.take(key) { taken.append(session) }
            }
            for session in taken { _ = sessions.keep(session, for: key, replacing: nil) }
            #expect(sessions.count == 3)
            let error = try await TLSMeeting.failing(on: loop, server: bad, client: client)
            #expect(error.certificateProblem == .wrongName)
            await loop.settle()
            #expect(sessions.count == 0)
            for meeting in meetings { try await meeting.wire.onLoop { $0.client.abort() } }
        }
    }

    @Test("is kept when the link breaks before the server answers")
    func outage() async throws {
        let (server, client) = (try server(0x0304), try client())
        try await withLoop { loop in
            let key = TLSSessionCache.Key(client)
            try await TLSMeeting.passing(on: loop, server: server, client: client)
            let spare = try #require(sessions.take(key))
            try await TLSMeeting.passing(on: loop, server: server, client: client)
            _ = sessions.keep(spare, for: key, replacing: nil)
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { $0.client.startTLS(client) }
            try await wire.serverEvents.waitForBytes(1)
            #expect(sessions.count == 1)
            try await wire.onLoop { $0.server.abort() }
            _ = try await wire.clientEvents.waitForError()
            await loop.settle()
            #expect(sessions.count == 1)
        }
    }

    @Test("has one place for each connection, however many tickets the server sends", arguments: [1, 2, 16])
    func manyTickets(_ count: Int) async throws {
        let (server, client) = (try server(0x0304, tickets: count), try client())
        try await withLoop { loop in
            try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(sessions.count == 1)
        }
    }

    @Test("never carries early data, also where the server would take it")
    func noEarlyData() async throws {
        let made = try workshop.make(CertificateWorkshop.Request())
        let server = try OpenSSLServer(made.certificate, made.key, ["-tls1_3", "-early_data"])
        let client = try client()
        try await withLoop { loop in
            for _ in 0..<2 {
                let (channel, events) = try await server.connect(client, on: loop)
                try await events.waitForSecured()
                let said = try server.readLine(with: "arly data")
                #expect(said.contains("No early data received"))
                // It serves one at a time.
                try await loop.run { channel.close() }
                try await events.waitForClosure()
            }
        }
    }

    @Test("is not what a server without tickets gives", arguments: [0x0303, 0x0304] as [UInt16])
    func withoutTickets(_ version: UInt16) async throws {
        let (server, client) = (try server(version, tickets: 0), try client())
        try await withLoop { loop in
            for _ in 0..<2 {
                let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
                #expect(!ends.client.isResumed)
            }
        }
    }
}
