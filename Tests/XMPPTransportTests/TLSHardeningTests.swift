import Foundation
import Testing
import XMPPTransport

@Suite("What TLS must not agree on")
struct TLSHardeningTests {
    private let workshop: CertificateWorkshop
    private let client: TLSSettings

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
        client = try workshop.settings()
    }

    /// A server's options, and whether the client may go along.
    struct Row: Sendable, CustomTestStringConvertible {
        var options: [String]
        var ciphers = "ALL:@SECLEVEL=0"
        var key = CertificateWorkshop.Key.elliptic
        var isAccepted = false

        var testDescription: String { (options + [ciphers, key.rawValue]).joined(separator: " ") }

        init(
            _ options: [String], ciphers: String = "ALL:@SECLEVEL=0",
            key: CertificateWorkshop.Key = .elliptic, isAccepted: Bool = false
        ) {
            self.options = options
            self.ciphers = ciphers
            self.key = key
            self.isAccepted = isAccepted
        }

        /// A cipher of TLS 1.2 alone.
        init(cipher: String, key: CertificateWorkshop.Key = .elliptic, isAccepted: Bool = false) {
            self.init(["-tls1_2"], ciphers: cipher + ":@SECLEVEL=0", key: key, isAccepted: isAccepted)
        }

        static let all = [
            Row([], isAccepted: true), Row(["-tls1_3"], isAccepted: true), Row(["-tls1_2"], isAccepted: true),
            Row(["-tls1_1"]), Row(["-tls1"]), Row(["-no_tls1_3", "-no_tls1_2"]),
            // Below 112 bits, without encryption, without a certificate, without forward secrecy.
            Row(cipher: "eNULL"), Row(cipher: "eNULL", key: .rsa), Row(cipher: "aNULL"),
            Row(cipher: "aNULL", key: .rsa),
            Row(cipher: "kRSA", key: .rsa), Row(cipher: "AES128-GCM-SHA256", key: .rsa),
            Row(cipher: "PSK"), Row(cipher: "kPSK", key: .rsa), Row(cipher: "CAMELLIA", key: .rsa),
            Row(cipher: "ARIA"), Row(cipher: "ADH-AES256-SHA256"), Row(cipher: "ECDHE-ECDSA-NULL-SHA"),
            Row(cipher: "ECDHE-ECDSA-AES128-GCM-SHA256", isAccepted: true),
            Row(cipher: "ECDHE-RSA-AES256-GCM-SHA384", key: .rsa, isAccepted: true),
            Row(cipher: "ECDHE-RSA-CHACHA20-POLY1305", key: .rsa, isAccepted: true),
            // CBC, and a key exchange over a finite field.
            Row(cipher: "ECDHE-RSA-AES128-SHA", key: .rsa), Row(cipher: "ECDHE-RSA-AES256-SHA384", key: .rsa),
            Row(cipher: "ECDHE-ECDSA-AES128-SHA256"), Row(cipher: "DHE-RSA-AES256-SHA256", key: .rsa),
            Row(cipher: "DHE-RSA-AES128-GCM-SHA256", key: .rsa),
            // A group that is too small, signatures by SHA-1.
            Row(["-tls1_2", "-dhparam", "small-dh"], ciphers: "DHE:@SECLEVEL=0", key: .rsa),
            Row(["-tls1_2", "-sigalgs", "ECDSA+SHA1"]), Row(["-tls1_2", "-sigalgs", "RSA+SHA1"], key: .rsa),
            // Compression is not taken up.
            Row(["-tls1_2", "-comp"], isAccepted: true),
        ]
    }

    @Test("is old, weak, anonymous, without forward secrecy or with CBC (RFC 9325)", arguments: Row.all)
    func settings(_ row: Row) async throws {
        var request = CertificateWorkshop.Request()
        request.key = row.key
        let made = try workshop.make(request)
        let options = try row.options.map { try $0 == "small-dh" ? smallGroup() : $0 }
        let server = try OpenSSLServer(made.certificate, made.key, options, ciphers: row.ciphers)
        try await withLoop { loop in
            let (_, events) = try await server.connect(client, on: loop)
            guard row.isAccepted else {
                let error = try await events.waitForError()
                #expect(error.code == .tlsFailed, "\(error)")
                #expect(events.summary == nil)
                return
            }
            try await events.waitForSecured()
        }
    }

    /// A group of 1024 bits, as a file.
    private func smallGroup() throws -> String {
        try workshop.write(
            "dh.pem",
            """
            -----BEGIN DH PARAMETERS-----
            MIGHAoGBAPaZziUuo4XX27o6LSqCq2a8sNNxQewLYLZKrzNR6CNNv/lSgbbI1GmN
            HwC9ouR1wOr3BMYq3VOeq+WvK7xW9H2NQFclJ/MLOQuY4ybQ2UH2kgaUsxDXlsS/
            uIsZb1KCkLhXEQdIGSMjAsLXTGZSKKGnpOFXMy5DryC/aUOSPPBPAgEC
            -----END DH PARAMETERS-----

            """
        )
        return workshop.file("dh.pem")
    }

    @Test("is another handshake on the same connection (CVE-2021-32920: renegotiation)")
    func renegotiationByServer() async throws {
        let made = try workshop.make(CertificateWorkshop.Request())
        let server = try OpenSSLServer(made.certificate, made.key, ["-tls1_2"])
        try await withLoop { loop in
            let (_, events) = try await server.connect(client, on: loop)
            try await events.waitForSecured()
            // The command's word for it: the server asks for a handshake, and gets none.
            try server.type("r")
            let closure = try await events.waitForClosure()
            #expect(closure != .local)
            #expect(events.story.count { $0 == "secured" } == 1)
        }
    }

    @Test("is another handshake that a client asks our server for (CVE-2021-32920)")
    func renegotiationByClient() async throws {
        let server = TLSSettings(domain: "", context: try workshop.server())
        let folder = workshop.folder
        try await withLoop { loop in
            let events = Recorder<ChannelEvent>()
            let listener = try Listener.tcp(on: loop) { connection in
                { event in
                    events.record(event)
                    if case .connected = event { connection.channel.startTLS(server) }
                }
            }
            defer { listener.close() }
            let command = try OpenSSLClient(port: listener.port, ["-tls1_2", "-CAfile", folder + "/root.pem"])
            // Its end would close the connection, and show nothing.
            defer { withExtendedLifetime(command) {} }
            try await events.waitForSecured()
            try command.type("R")
            try await events.waitForClosure()
            #expect(events.story.count { $0 == "secured" } == 1)
        }
    }

    @Test(
        "is another protocol than xmpp-client by ALPN; none is as good (XEP-0368)",
        arguments: [
            ("xmpp-client", true, true), (nil, true, true), ("h2", true, false), ("xmpp-server", true, false),
            ("XMPP-client", true, false), ("xmpp-client ", true, false), ("xmpp-client", false, true),
        ] as [(String?, Bool, Bool)]
    )
    func applicationProtocol(_ answer: String?, isOffered: Bool, isAccepted: Bool) async throws {
        var options = TLSServerOptions()
        options.applicationProtocol = answer
        let server = try workshop.server(options: options)
        var client = client
        client.offersALPN = isOffered
        try await withLoop { [client] loop in
            guard isAccepted else {
                let error = try await TLSMeeting.failing(on: loop, server: server, client: client)
                #expect(error.code == .tlsFailed)
                return
            }
            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(ends.client.applicationProtocol == (isOffered ? answer : nil))
            #expect(ends.server.applicationProtocol == ends.client.applicationProtocol)
        }
    }

    @Test(
        "is silence about the host: SNI names the account's domain, but no address",
        arguments: [
            ("example.org", "example.org"), ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("127.0.0.1", nil),
        ]
            as [(String, String?)]
    )
    func serverName(_ domain: String, name: String?) async throws {
        var request = CertificateWorkshop.Request()
        request.names = "DNS:example.org,DNS:xn--bcher-kva.example,IP:127.0.0.1"
        let server = try workshop.server(request)
        var client = client
        client.domain = domain
        try await withLoop { [client] loop in
            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(ends.server.serverName == name)
        }
    }

    @Test(
        "are bytes in clear where TLS begins with the connection",
        arguments: ["<stream:stream>", " ", "HTTP/1.1 400\r\n\r\n"])
    func directTLSInClear(_ text: String) async throws {
        let client = client
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop) { channel, event in
                if case .connected = event { channel.send(utf8(text)) }
            }
            try await wire.onLoop { $0.client.startTLS(client) }
            try await wire.onLoop { $0.server.close() }
            let error = try await wire.clientEvents.waitForError()
            #expect([.plaintextAfterStartTLS, .tlsFailed].contains(error.code))
            #expect(wire.clientEvents.summary == nil)
        }
    }
}
