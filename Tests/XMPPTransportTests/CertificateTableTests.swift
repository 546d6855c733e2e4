import Foundation
import Testing
import XMPPTestKit
import XMPPTransport

/// One certificate, one expected name, one allowed outcome.
struct CertificateRow: Sendable, CustomTestStringConvertible {
    let title: String
    let domain: String
    let request: CertificateWorkshop.Request
    /// `nil` when the certificate is to be accepted.
    let problem: CertificateProblem?

    init(
        _ title: String,
        domain: String = "example.org",
        problem: CertificateProblem? = nil,
        _ change: (inout CertificateWorkshop.Request) -> Void = { _ in }
    ) {
        self.title = title
        self.domain = domain
        self.problem = problem
        var request = CertificateWorkshop.Request()
        change(&request)
        self.request = request
    }

    /// For rows that are about names only.
    init(_ names: String, for domain: String, _ problem: CertificateProblem? = nil) {
        self.init("\(names) for \(domain)", domain: domain, problem: problem) { $0.names = names }
    }

    var testDescription: String { title }

    private static let srv = "otherName:1.3.6.1.5.5.7.8.7;IA5STRING:"
    private static let xmpp = "otherName:1.3.6.1.5.5.7.8.5;UTF8:"

    static let names = [
        CertificateRow("DNS:example.org", for: "example.org"),
        CertificateRow("DNS:EXAMPLE.Org", for: "example.org"),
        CertificateRow("DNS:a.test,DNS:example.org", for: "example.org"),
        CertificateRow("DNS:example.net", for: "example.org", .wrongName),
        CertificateRow("DNS:example.org.evil.test", for: "example.org", .wrongName),
        CertificateRow("DNS:evilexample.org", for: "example.org", .wrongName),
        CertificateRow("DNS:chat.example.org", for: "example.org", .wrongName),
        CertificateRow("DNS:example.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:*.example.org", for: "chat.example.org"),
        CertificateRow("DNS:*.example.org", for: "example.org", .wrongName),
        CertificateRow("DNS:*.example.org", for: "a.chat.example.org", .wrongName),
        CertificateRow("DNS:c*.example.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:*t.example.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:chat.*.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:*.*.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:*.org", for: "example.org", .wrongName),
        CertificateRow("DNS:*", for: "example.org", .wrongName),
        CertificateRow("DNS:.example.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:xn--bcher-kva.example", for: "xn--bcher-kva.example"),
        CertificateRow("DNS:xn--*.example", for: "xn--bcher-kva.example", .wrongName),
        CertificateRow("email:example.org@example.org", for: "example.org", .wrongName),
        CertificateRow("URI:https://example.org", for: "example.org", .wrongName),
        CertificateRow("IP:127.0.0.1", for: "127.0.0.1"),
        CertificateRow("IP:127.0.0.2", for: "127.0.0.1", .wrongName),
        CertificateRow("DNS:127.0.0.1", for: "127.0.0.1", .wrongName),
        CertificateRow("IP:127.0.0.1", for: "example.org", .wrongName),
        CertificateRow(srv + "_xmpp-client.example.org", for: "example.org"),
        CertificateRow(srv + "_XMPP-Client.Example.org", for: "example.org"),
        CertificateRow(srv + "_xmpp-server.example.org", for: "example.org", .wrongName),
        CertificateRow(srv + "_xmpp-client.example.net", for: "example.org", .wrongName),
        CertificateRow(srv + "example.org", for: "example.org", .wrongName),
        CertificateRow(xmpp + "example.org", for: "example.org"),
        CertificateRow(xmpp + "bot@example.org", for: "example.org", .wrongName),
        CertificateRow(xmpp + "example.net", for: "example.org", .wrongName),
        CertificateRow("otherName:1.2.3.4;UTF8:example.org", for: "example.org", .wrongName),
        // DNS "example.org" NUL ".evil.test", and the same as an XMPP address' prefix.
        CertificateRow(
            "DER:30:18:82:16:65:78:61:6d:70:6c:65:2e:6f:72:67:00:2e:65:76:69:6c:2e:74:65:73:74",
            for: "example.org",
            .wrongName
        ),
    ]

    static let others = [
        CertificateRow("common name only", problem: .wrongName) {
            $0.names = nil
            $0.commonName = "example.org"
        },
        CertificateRow("common name beside another DNS name", problem: .wrongName) {
            $0.names = "DNS:a.test"
            $0.commonName = "example.org"
        },
        CertificateRow("expired", problem: .expired) { $0.end = "20210101000000Z" },
        CertificateRow("not yet valid", problem: .notYetValid) { $0.start = "20480101000000Z" },
        CertificateRow("for clients only", problem: .wrongPurpose) { $0.purpose = "clientAuth" },
        CertificateRow("self-signed", problem: .selfSigned) { $0.issuer = .itself },
        CertificateRow("of an unknown authority", problem: .unknownAuthority) { $0.issuer = .stranger },
        CertificateRow("by way of an intermediate") { $0.issuer = .intermediate },
        CertificateRow("without the intermediate", problem: .unknownAuthority) {
            $0.issuer = .intermediate
            $0.sendsChain = false
        },
        CertificateRow("expired, and for another name", problem: .expired) {
            $0.end = "20210101000000Z"
            $0.names = "DNS:a.test"
        },
    ]
}

@Suite("A server's certificate")
struct CertificateTableTests {
    @Test("is accepted for its names only", arguments: CertificateRow.names)
    func names(_ row: CertificateRow) async throws {
        try await check(row)
    }

    @Test("must be valid, strong, for servers, and of a trusted authority", arguments: CertificateRow.others)
    func others(_ row: CertificateRow) async throws {
        try await check(row)
    }

    private func check(_ row: CertificateRow) async throws {
        let workshop = try CertificateWorkshop.shared.get()
        let (server, client) = (try workshop.server(row.request), try workshop.client())
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop) { channel, event in
                guard case .received = event else { return }
                channel.send(utf8("proceed"))
                channel.startTLS(TLSSettings(domain: "", context: server))
            }
            try await wire.onLoop { $0.client.send(utf8("starttls")) }
            try await wire.clientEvents.waitForText("proceed")
            try await wire.onLoop { $0.client.startTLS(TLSSettings(domain: row.domain, context: client)) }
            guard let problem = row.problem else {
                try await wire.clientEvents.waitForSecured()
                return
            }
            let error = try await wire.clientEvents.waitForError()
            #expect(error.code == .certificateRejected)
            #expect(error.certificateProblem == problem)
            #expect(error.description.contains(row.domain))
            #expect(wire.clientEvents.story == ["connected", "received", "closed: certificate refused"])
        }
    }

    @Test("of the wrong name is shown in the error, without control characters")
    func wording() async throws {
        let hostile = CertificateRow(
            "DER:30:08:82:06:61:1b:5b:32:4a:62",
            for: "example.org",
            .wrongName
        )
        let workshop = try CertificateWorkshop.shared.get()
        let (server, client) = (try workshop.server(hostile.request), try workshop.client())
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop) { channel, event in
                if case .connected = event { channel.startTLS(TLSSettings(domain: "", context: server)) }
            }
            try await wire.onLoop { $0.client.startTLS(TLSSettings(domain: "example.org", context: client)) }
            let error = try await wire.clientEvents.waitForError()
            #expect(
                error.description
                    == "certificate refused: the server's certificate is not accepted for example.org: wrong name, it is for a?[2Jb"
            )
        }
    }

    @Test("must not be signed by SHA-1 nor have a short key", arguments: ["sha1", "short key"])
    func weak(_ kind: String) async throws {
        let workshop = try CertificateWorkshop.shared.get()
        var request = CertificateWorkshop.Request()
        if kind == "sha1" { request.digest = "sha1" } else { request.key = .weak }
        let made = try workshop.make(request)
        let client = try workshop.client()
        // Our own server does not load such a certificate.
        let server = try OpenSSLServer(made.certificate, made.key)
        try await withLoop { loop in
            let events = Recorder<ChannelEvent>()
            let port = server.port
            let channel = try await loop.run {
                SocketConnector().connect(to: .host("127.0.0.1", port: port), on: loop) { events.record($0) }
            }
            try await events.waitForConnected()
            try await loop.run { channel.startTLS(TLSSettings(domain: "example.org", context: client)) }
            let error = try await events.waitForError()
            #expect(error.code == .certificateRejected)
            #expect(error.certificateProblem == .weak)
        }
    }
}

/// `openssl s_server`, which takes what OpenSSL's usual security level refuses.
private final class OpenSSLServer {
    let port: UInt16
    private let process = Process()

    init(_ certificate: String, _ key: String) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-cipher",
            "ALL:@SECLEVEL=0",
        ]
        let output = Pipe()
        process.standardInput = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("ACCEPT 127.0.0.1:") || !text.hasSuffix("\n") {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            text += String(decoding: more, as: UTF8.self)
        }
        let digits = text.components(separatedBy: "ACCEPT 127.0.0.1:")[1].prefix { $0.isNumber }
        port = try #require(UInt16(digits))
    }

    deinit {
        process.terminate()
    }
}
