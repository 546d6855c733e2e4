import Foundation
import Testing
import XMPPTransport

@Suite("Channel bindings")
struct TLSBindingTests {
    private let workshop: CertificateWorkshop

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
    }

    /// How a handshake is to be.
    struct Row: Sendable, CustomTestStringConvertible {
        var version: UInt16
        var hasExtendedMasterSecret = true
        var isResumed = false
        /// Which bindings there must be.
        var bindings: Set<String>

        var testDescription: String {
            "\(version == 0x0303 ? "TLS 1.2" : "TLS 1.3")\(hasExtendedMasterSecret ? "" : " without EMS")"
                + "\(isResumed ? ", resumed" : "")"
        }

        static let all = [
            Row(version: 0x0304, bindings: ["exporter", "end point"]),
            Row(version: 0x0304, isResumed: true, bindings: ["exporter", "end point"]),
            Row(version: 0x0303, bindings: ["exporter", "end point", "unique"]),
            Row(version: 0x0303, isResumed: true, bindings: ["exporter", "end point", "unique"]),
            Row(version: 0x0303, hasExtendedMasterSecret: false, bindings: ["end point", "unique"]),
        ]
    }

    @Test("are the same on both ends, and only those that this connection can have", arguments: Row.all)
    func bothEnds(_ row: Row) async throws {
        var options = TLSServerOptions()
        options.versions = row.version...row.version
        options.hasExtendedMasterSecret = row.hasExtendedMasterSecret
        options.tickets = row.isResumed ? 1 : 0
        let server = try workshop.server(options: options)
        var client = try workshop.settings()
        client.sessions = TLSSessionCache()
        client.peer = "here:5222"
        try await withLoop { loop in
            if row.isResumed { try await TLSMeeting.passing(on: loop, server: server, client: client) }
            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(ends.client.versionNumber == row.version)
            #expect(ends.server.versionNumber == row.version)
            #expect(ends.client.isResumed == row.isResumed)
            #expect(ends.server.isResumed == row.isResumed)
            #expect(ends.client.bindings == ends.server.bindings)
            #expect(Self.names(ends.client.bindings) == row.bindings)
            #expect(ends.client.bindings.exporter.map(\.count) ?? 32 == 32)
            #expect(ends.client.bindings.unique.map(\.count) ?? 12 == 12)
            // Another connection's are others, but for the certificate.
            let later = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(later.client.bindings.serverEndPoint == ends.client.bindings.serverEndPoint)
            if row.bindings.contains("exporter") {
                #expect(later.client.bindings.exporter != ends.client.bindings.exporter)
            }
            if row.bindings.contains("unique") {
                #expect(later.client.bindings.unique != ends.client.bindings.unique)
            }
        }
    }

    private static func names(_ bindings: TLSChannelBindings) -> Set<String> {
        var names: Set<String> = []
        if bindings.exporter != nil { names.insert("exporter") }
        if bindings.serverEndPoint != nil { names.insert("end point") }
        if bindings.unique != nil { names.insert("unique") }
        return names
    }

    @Test(
        "hash the certificate as its signature does, but never by MD5 or SHA-1 (RFC 5929 4.1)",
        arguments: [
            ("elliptic", "sha256", "sha256"), ("elliptic", "sha384", "sha384"), ("elliptic", "sha512", "sha512"),
            ("elliptic", "sha224", "sha224"), ("rsa", "sha256", "sha256"), ("rsa", "sha384", "sha384"),
            ("rsa", "sha1", "sha256"), ("rsa", "md5", "sha256"), ("elliptic", "sha1", "sha256"),
            ("rsa-pss", "sha384", "sha384"), ("ed25519", "null", nil),
        ] as [(String, String, String?)],
        [0x0303, 0x0304] as [UInt16]
    )
    func endPoint(_ kind: (key: String, digest: String, hash: String?), version: UInt16) async throws {
        var request = CertificateWorkshop.Request()
        request.key = try #require(CertificateWorkshop.Key(rawValue: kind.key == "rsa-pss" ? "rsa" : kind.key))
        request.digest = kind.digest
        request.isPSS = kind.key == "rsa-pss"
        // OpenSSL takes a weak signature of a trusted certificate upon itself only.
        request.issuer = .itself
        var options = TLSServerOptions()
        options.versions = version...version
        let made = try workshop.make(request)
        let server = try TLSContext.server(certificateFile: made.certificate, keyFile: made.key, options: options)
        let client = TLSSettings(domain: "example.org", context: try TLSContext.client(caFile: made.certificate))
        try await withLoop { loop in
            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(ends.client.bindings.serverEndPoint == ends.server.bindings.serverEndPoint)
            guard let hash = kind.hash else {
                #expect(ends.client.bindings.serverEndPoint == nil)
                return
            }
            #expect(try ends.client.bindings.serverEndPoint == workshop.digest(of: made.certificate, hash))
        }
    }

    @Test(
        "by exporter are what the openssl command finds with TLS 1.3, where no context is an empty one",
        arguments: ["-tls1_2", "-tls1_3"]
    )
    func exporter(_ version: String) async throws {
        let made = try workshop.make(CertificateWorkshop.Request())
        let client = try workshop.settings()
        let server = try OpenSSLServer(
            made.certificate,
            made.key,
            [version, "-keymatexport", "EXPORTER-Channel-Binding", "-keymatexportlen", "32"]
        )
        try await withLoop { loop in
            let (_, events) = try await server.connect(client, on: loop)
            try await events.waitForSecured()
            let exporter = try #require(events.summary?.bindings.exporter)
            let shown = exporter.map { String(format: "%02X", $0) }.joined()
            // The command gives no context; TLS 1.3 makes no difference of it (RFC 8446 7.5), TLS 1.2 does.
            let printed = try server.readLine(with: "Keying material: ")
            #expect(printed.contains(shown) == (version == "-tls1_3"))
        }
    }
}
