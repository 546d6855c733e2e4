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
        CertificateRow("DNS:*.example.org", for: "xn--bcher-kva.example.org"),
        CertificateRow("DNS:*.xn--bcher-kva.example", for: "chat.xn--bcher-kva.example"),
        CertificateRow("DNS:xn--bcher-kva.example", for: "xn--bcher-kvb.example", .wrongName),
        CertificateRow("DNS:*.example.org,DNS:example.org", for: "example.org"),
        CertificateRow("DNS:**.example.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:*.chat.example.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:ch*t.example.org", for: "chat.example.org", .wrongName),
        CertificateRow("DNS:*.*.example.org", for: "a.chat.example.org", .wrongName),
        CertificateRow("DNS:example.org.", for: "example.org", .wrongName),
        CertificateRow("DNS:_xmpp-client.example.org", for: "example.org", .wrongName),
        CertificateRow("email:example.org@example.org", for: "example.org", .wrongName),
        CertificateRow("URI:https://example.org", for: "example.org", .wrongName),
        CertificateRow("IP:127.0.0.1", for: "127.0.0.1"),
        CertificateRow("IP:127.0.0.2", for: "127.0.0.1", .wrongName),
        CertificateRow("DNS:127.0.0.1", for: "127.0.0.1", .wrongName),
        CertificateRow("IP:127.0.0.1", for: "example.org", .wrongName),
        CertificateRow("IP:0:0:0:0:0:0:0:1", for: "::1"),
        CertificateRow("IP:0:0:0:0:0:0:0:1", for: "[::1]"),
        CertificateRow("IP:0:0:0:0:0:0:0:2", for: "[::1]", .wrongName),
        CertificateRow("IP:0:0:0:0:0:0:0:2", for: "::1", .wrongName),
        CertificateRow("DNS:*.0.0.1", for: "127.0.0.1", .wrongName),
        CertificateRow(srv + "_xmpp-client.127.0.0.1", for: "127.0.0.1", .wrongName),
        CertificateRow(srv + "_xmpp-client.example.org", for: "example.org"),
        CertificateRow(srv + "_xmpp-client.xn--bcher-kva.example", for: "xn--bcher-kva.example"),
        CertificateRow(srv + "_xmpp-client.*.example.org", for: "chat.example.org", .wrongName),
        CertificateRow(srv + "_xmpps-client.example.org", for: "example.org", .wrongName),
        CertificateRow(srv + "_xmpp-client.chat.example.org", for: "example.org", .wrongName),
        CertificateRow("otherName:1.3.6.1.5.5.7.8.7;UTF8:_xmpp-client.example.org", for: "example.org", .wrongName),
        CertificateRow(srv + "_XMPP-Client.Example.org", for: "example.org"),
        CertificateRow(srv + "_xmpp-server.example.org", for: "example.org", .wrongName),
        CertificateRow(srv + "_xmpp-client.example.net", for: "example.org", .wrongName),
        CertificateRow(srv + "example.org", for: "example.org", .wrongName),
        CertificateRow(xmpp + "example.org", for: "example.org"),
        CertificateRow(xmpp + "bot@example.org", for: "example.org", .wrongName),
        CertificateRow(xmpp + "example.net", for: "example.org", .wrongName),
        CertificateRow(xmpp + "*.example.org", for: "chat.example.org", .wrongName),
        CertificateRow(xmpp + "example.org/resource", for: "example.org", .wrongName),
        CertificateRow(xmpp + "xn--bcher-kva.example", for: "xn--bcher-kva.example"),
        CertificateRow("otherName:1.3.6.1.5.5.7.8.5;IA5STRING:example.org", for: "example.org", .wrongName),
        CertificateRow("otherName:1.2.3.4;UTF8:example.org", for: "example.org", .wrongName),
        // DNS "example.org" NUL ".evil.test", and the same as an XMPP address' prefix.
        CertificateRow(
            "DER:30:18:82:16:65:78:61:6d:70:6c:65:2e:6f:72:67:00:2e:65:76:69:6c:2e:74:65:73:74",
            for: "example.org",
            .wrongName
        ),
    ]

    /// What authorities may speak for, by each kind of name: a DNS name, a service's, an XMPP address.
    ///
    /// OpenSSL knows the limits of an authority for the first kind only.
    static let limited = [srv + "_xmpp-client.", xmpp, "DNS:"].flatMap { kind in
        [
            ("example.org", CertificateWorkshop.Issuer.confined, false), ("a.example.net", .confined, true),
            ("example.net", .confined, true), ("evilexample.net", .confined, false),
            ("example.net.evil.test", .confined, false), ("example.org", .barred, true),
            ("example.net", .barred, false), ("a.example.net", .barred, false), ("evilexample.net", .barred, true),
        ].map { domain, issuer, isAllowed in
            CertificateRow(
                "\(kind)\(domain) of an authority that is \(issuer)", domain: domain,
                problem: isAllowed ? nil : .wrongName
            ) {
                $0.issuer = issuer
                // Beside a name that the authority may speak for.
                $0.names = (issuer == .confined ? "DNS:www.example.net," : "DNS:www.example.org,") + kind + domain
            }
        }
    }

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
        CertificateRow("for servers and clients") { $0.purpose = "serverAuth,clientAuth" },
        CertificateRow("for any purpose that is not said") { $0.purpose = nil },
        CertificateRow("for signing code only", problem: .wrongPurpose) { $0.purpose = "codeSigning" },
        CertificateRow("an authority's", problem: .wrongPurpose) { $0.isAuthority = true },
        CertificateRow("an authority's below another", problem: .wrongPurpose) {
            $0.isAuthority = true
            $0.issuer = .intermediate
        },
        CertificateRow("with an RSA key") { $0.key = .rsa },
        CertificateRow("with an Ed25519 key") { $0.key = .ed25519 },
        CertificateRow("not yet valid, and of an unknown authority", problem: .unknownAuthority) {
            $0.start = "20480101000000Z"
            $0.issuer = .stranger
        },
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
    @Test(
        """
        is accepted for its names only \
        (CVE-2014-5075, CVE-2019-12855, CVE-2022-45197: any certificate of a trusted authority was taken)
        """,
        arguments: CertificateRow.names
    )
    func names(_ row: CertificateRow) async throws {
        try await check(row)
    }

    @Test(
        "must be valid, strong, for servers, and of a trusted authority",
        arguments: CertificateRow.others + CertificateRow.limited)
    func others(_ row: CertificateRow) async throws {
        try await check(row)
    }

    @Test("has a table of at least forty rows, no two the same, with what is accepted and each reason why not")
    func table() {
        let rows = CertificateRow.names + CertificateRow.others
        #expect(rows.count >= 40)
        #expect(Set(rows.map(\.title)).count == rows.count)
        #expect(rows.contains { $0.problem == nil })
        let problems: [CertificateProblem] = [
            .wrongName, .expired, .notYetValid, .wrongPurpose, .selfSigned, .unknownAuthority,
        ]
        for problem in problems { #expect(rows.contains { $0.problem == problem }, "\(problem)") }
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

    @Test(
        "is recognised by one name, which is told",
        arguments: [
            ("DNS:a.test,DNS:Example.org", "DNS Example.org"),
            ("DNS:*.org,otherName:1.3.6.1.5.5.7.8.5;UTF8:example.org", "XMPP example.org"),
            ("otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-client.example.org", "SRV _xmpp-client.example.org"),
        ])
    func verifiedName(_ names: String, _ name: String) async throws {
        let workshop = try CertificateWorkshop.shared.get()
        var request = CertificateWorkshop.Request()
        request.names = names
        let server = try workshop.server(request)
        let client = try workshop.settings()
        try await withLoop { loop in
            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(ends.client.verifiedName == name)
            #expect(ends.server.verifiedName == nil)
        }
    }

    @Test(
        "may have the XMPP address in U-labels where the account's domain has them",
        arguments: [
            ("b\u{FC}cher.example", true), ("B\u{FC}cher.example", true), ("b\u{FC}cher.example/x", false),
            ("bucher.example", false), ("b\u{E4}cher.example", false),
        ])
    func unicodeAddress(_ name: String, isAccepted: Bool) async throws {
        let workshop = try CertificateWorkshop.shared.get()
        var request = CertificateWorkshop.Request()
        request.names = Self.derOfAddress(name)
        let server = try workshop.server(request)
        var client = TLSSettings(domain: "xn--bcher-kva.example", context: try workshop.client())
        client.unicodeDomain = "b\u{FC}cher.example"
        try await withLoop { [client] loop in
            if isAccepted {
                try await TLSMeeting.passing(on: loop, server: server, client: client)
            } else {
                let error = try await TLSMeeting.failing(on: loop, server: server, client: client)
                #expect(error.certificateProblem == .wrongName)
            }
        }
    }

    /// A subjectAltName of one XmppAddr: OpenSSL's configuration has no other way to write UTF-8.
    private static func derOfAddress(_ name: String) -> String {
        func item(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        let identifier: [UInt8] = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x08, 0x05]
        let text = item(0xA0, item(0x0C, utf8(name)))
        let bytes = item(0x30, item(0xA0, identifier + text))
        return "DER:" + bytes.map { String(format: "%02x", $0) }.joined(separator: ":")
    }

    @Test(
        "must be for the account's domain, whatever host was dialled (CVE-2022-24968, B054)",
        arguments: [
            ("DNS:xmpp.hoster.example", CertificateProblem.wrongName), ("DNS:localhost,IP:127.0.0.1", .wrongName),
            ("DNS:*.example.org", .wrongName), ("DNS:example.org", nil),
        ]
    )
    func dialledHost(_ names: String, problem: CertificateProblem?) async throws {
        let workshop = try CertificateWorkshop.shared.get()
        var request = CertificateWorkshop.Request()
        request.names = names
        let server = try workshop.server(request)
        var client = try workshop.settings()
        client.peer = "xmpp.hoster.example:5222"
        try await withLoop { [client] loop in
            let wire = try await TLSMeeting.begin(on: loop, server: server, client: client)
            if problem == nil {
                try await wire.clientEvents.waitForSecured()
            } else {
                #expect(try await wire.clientEvents.waitForError().certificateProblem == problem)
            }
            // SNI says the same.
            if problem == nil {
                try await wire.serverEvents.waitForSecured()
                #expect(wire.serverEvents.summary?.serverName == "example.org")
            }
        }
    }

    @Test("of a private authority is not trusted by the system's, nor a stranger's by the private one")
    func authorities() async throws {
        let workshop = try CertificateWorkshop.shared.get()
        let server = try workshop.server()
        let stranger = try TLSContext.client(caFile: workshop.file("stranger.pem"))
        for context in [try TLSContext.client(caFile: nil), stranger] {
            try await withLoop { loop in
                let client = TLSSettings(domain: "example.org", context: context)
                let error = try await TLSMeeting.failing(on: loop, server: server, client: client)
                #expect(error.certificateProblem == .unknownAuthority)
            }
        }
    }

    @Test("that is itself what the account trusts needs no authority, and may look like one", arguments: [false, true])
    func trustedItself(_ isAuthority: Bool) async throws {
        let workshop = try CertificateWorkshop.shared.get()
        var request = CertificateWorkshop.Request()
        request.issuer = .itself
        request.isAuthority = isAuthority
        let made = try workshop.make(request)
        let server = try TLSContext.server(certificateFile: made.certificate, keyFile: made.key)
        let client = TLSSettings(domain: "example.org", context: try TLSContext.client(caFile: made.certificate))
        try await withLoop { loop in
            try await TLSMeeting.passing(on: loop, server: server, client: client)
            var other = client
            other.domain = "example.net"
            let error = try await TLSMeeting.failing(on: loop, server: server, client: other)
            #expect(error.certificateProblem == .wrongName)
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
                    == "certificate refused: the server's certificate is not accepted for example.org: wrong name, it is for "
                    + "a?[2Jb; the server needs one for example.org, or the account's address or host is wrong"
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
            let (_, events) = try await server.connect(TLSSettings(domain: "example.org", context: client), on: loop)
            let error = try await events.waitForError()
            #expect(error.code == .certificateRejected)
            #expect(error.certificateProblem == .weak)
        }
    }
}
