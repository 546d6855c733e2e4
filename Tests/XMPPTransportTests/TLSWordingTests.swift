import Testing
import XMPPTransport

/// What a person reads when TLS fails: what it means and what to do, not OpenSSL's words alone.
@Suite("An error of TLS says what to do")
struct TLSWordingTests {
    private let workshop: CertificateWorkshop
    private let client: TLSSettings

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
        client = try workshop.settings()
    }

    private func error(
        _ options: [String], ciphers: String = "ALL:@SECLEVEL=0", key: CertificateWorkshop.Key = .elliptic
    ) async throws -> TransportError {
        var request = CertificateWorkshop.Request()
        request.key = key
        let made = try workshop.make(request)
        let server = try OpenSSLServer(made.certificate, made.key, options, ciphers: ciphers)
        return try await withLoop { loop in
            let (_, events) = try await server.connect(client, on: loop)
            return try await events.waitForError()
        }
    }

    @Test("where the server's TLS is too old", arguments: ["-tls1", "-tls1_1"])
    func version(option: String) async throws {
        let text = try await error([option]).description
        #expect(text.contains("no version of TLS that is safe (1.2 or 1.3): it must be brought up to date"), "\(text)")
    }

    @Test("where no cipher is shared", arguments: ["eNULL", "aNULL", "AES128-GCM-SHA256", "CAMELLIA"])
    func ciphers(names: String) async throws {
        let text = try await error(["-tls1_2"], ciphers: names + ":@SECLEVEL=0", key: .rsa).description
        #expect(text.contains("no cipher in common with this side"), "\(text)")
        #expect(text.contains("check the host and the port"), "\(text)")
    }

    @Test(
        "where the server sends an alert",
        arguments: [
            (112, "does not know this domain"), (80, "server's log"), (49, "ask its operator"), (22, "alert 22"),
            (40, "refused the handshake"),
        ] as [(UInt8, String)])
    func alerts(number: UInt8, words: String) async throws {
        let client = client
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop) { channel, event in
                // A record of an alert: fatal, and its number (RFC 8446 section 6).
                if case .received = event { channel.send([21, 3, 3, 0, 2, 2, number]) }
            }
            try await wire.onLoop { $0.client.startTLS(client) }
            let error = try await wire.clientEvents.waitForError()
            #expect(error.code == .tlsFailed)
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test(
        "where the connection ends in the handshake, or what answers is no TLS",
        arguments: ["", "\u{16}\u{3}\u{1}\u{0}\u{4}abcd"])
    func ended(said: String) async throws {
        let client = client
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop) { channel, event in
                guard case .received = event else { return }
                channel.send(utf8(said))
                channel.close()
            }
            try await wire.onLoop { $0.client.startTLS(client) }
            let error = try await wire.clientEvents.waitForError()
            #expect(error.code == .tlsFailed)
            #expect(error.description.contains("check the host and the port"), "\(error)")
        }
    }

    @Test(
        "where the certificate is not accepted: each reason with the next step",
        arguments: [
            ("expired", "the server must renew it"), ("not yet", "is this machine's clock right?"),
            ("wrong name", "the server needs one for example.org"), ("stranger", "name its certificate as ca_file"),
            ("self-signed", "name it as ca_file"), ("pin", "pin it only if its operator says that it is new"),
        ])
    func certificate(kind: String, words: String) async throws {
        var request = CertificateWorkshop.Request()
        var client = client
        switch kind {
        case "expired": request.end = "20210101000000Z"
        case "not yet": request.start = "20480101000000Z"
        case "wrong name": request.names = "DNS:other.example"
        case "stranger": request.issuer = .stranger
        case "self-signed": request.issuer = .itself
        case _: client.pins = [Array(repeating: 1, count: 32)]
        }
        let server = try workshop.server(request)
        try await withLoop { [client] loop in
            let error = try await TLSMeeting.failing(on: loop, server: server, client: client)
            #expect(error.description.contains(words), "\(error)")
        }
    }
}
