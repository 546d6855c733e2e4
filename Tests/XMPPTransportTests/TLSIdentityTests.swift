import Foundation
import Testing
import XMPPTransport

@Suite("A client's certificate")
struct TLSIdentityTests {
    private let workshop: CertificateWorkshop

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
    }

    private func server(_ version: UInt16, isRequired: Bool, asks: Bool = true) throws -> TLSContext {
        var options = TLSServerOptions()
        options.versions = version...version
        options.tickets = 1
        if asks { options.clientCertificate = .init(caFile: workshop.authority, isRequired: isRequired) }
        return try workshop.server(options: options)
    }

    private func client(_ identity: TLSIdentity?) throws -> TLSSettings {
        var settings = try workshop.settings()
        settings.identity = identity
        return settings
    }

    @Test(
        "is shown where the server asks for it, and only there", arguments: [0x0303, 0x0304] as [UInt16], [true, false])
    func shown(_ version: UInt16, asks: Bool) async throws {
        let server = try server(version, isRequired: true, asks: asks)
        let client = try client(workshop.identity())
        try await withLoop { loop in
            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(ends.client.showedCertificate == asks)
            #expect(ends.server.peerShowedCertificate == asks)
            #expect(ends.client.peerShowedCertificate)
        }
    }

    @Test("is not needed where the server only would like one", arguments: [0x0303, 0x0304] as [UInt16])
    func optional(_ version: UInt16) async throws {
        let (server, client) = (try server(version, isRequired: false), try client(nil))
        try await withLoop { loop in
            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(!ends.client.showedCertificate)
            #expect(!ends.server.peerShowedCertificate)
        }
    }

    @Test(
        "that is missing or of a stranger ends the connection where the server requires one, and the error says so",
        arguments: [0x0303, 0x0304] as [UInt16],
        [true, false]
    )
    func missing(_ version: UInt16, isMissing: Bool) async throws {
        let server = try server(version, isRequired: true)
        let client = try client(isMissing ? nil : workshop.identity(issuer: .stranger))
        try await withLoop { loop in
            let wire = try await TLSMeeting.begin(on: loop, server: server, client: client)
            // With TLS 1.3 the client's handshake is done before the server has looked.
            let error = try await wire.clientEvents.waitForError()
            #expect(error.code == .tlsFailed)
            #expect(error.description.contains(isMissing ? "asks for a certificate" : "does not accept"))
            #expect(wire.clientEvents.bytes.isEmpty)
        }
    }

    @Test("counts as shown in a session that is resumed", arguments: [0x0303, 0x0304] as [UInt16])
    func resumed(_ version: UInt16) async throws {
        let server = try server(version, isRequired: true)
        var client = try client(workshop.identity())
        client.sessions = TLSSessionCache()
        client.peer = "here:5222"
        try await withLoop { [client] loop in
            for isResumed in [false, true, true] {
                let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
                #expect(ends.client.isResumed == isResumed)
                #expect(ends.client.showedCertificate)
                #expect(ends.server.peerShowedCertificate)
            }
        }
    }

    @Test("comes with the certificates between it and its authority")
    func chain() async throws {
        let server = try server(0x0304, isRequired: true)
        let client = try client(workshop.identity(issuer: .intermediate))
        try await withLoop { loop in
            let ends = try await TLSMeeting.passing(on: loop, server: server, client: client)
            #expect(ends.client.showedCertificate)
        }
    }

    @Test(
        "must be readable, and the error says what to do",
        arguments: [
            ("no file", "cannot be opened"), ("no key file", "cannot be opened"),
            ("a folder", "holds no readable certificate"),
            ("an empty file", "holds no readable certificate"), ("an empty key", "holds no readable private key"),
            ("no PEM", "holds no readable certificate"), ("a key for a certificate", "holds no readable certificate"),
            ("a certificate for a key", "holds no readable private key"), ("another's key", "is not that of"),
            ("an encrypted key", "is encrypted; store the key without a passphrase"),
            ("an encrypted key of the old form", "is encrypted; store the key without a passphrase"),
            ("a damaged chain", "holds no readable chain"), ("a file of authorities", "a file of authorities?"),
        ]
    )
    func unreadable(_ fault: String, _ text: String) throws {
        let made = try workshop.make(CertificateWorkshop.Request())
        var (certificate, key) = (made.certificate, made.key)
        func file(_ content: String) throws -> String {
            let name = "fault-\(fault.utf8.reduce(0) { $0 &* 31 &+ Int($1) }.magnitude)"
            try workshop.write(name, content)
            return workshop.file(name)
        }
        let pem = try String(contentsOfFile: certificate, encoding: .utf8)
        switch fault {
        case "no file": certificate = workshop.file("none")
        case "no key file": key = workshop.file("none")
        case "a folder": certificate = workshop.folder
        case "an empty file": certificate = try file("")
        case "an empty key": key = try file("")
        case "no PEM": certificate = try file("hello\n")
        case "a key for a certificate": certificate = key
        case "a certificate for a key": key = certificate
        case "another's key": key = workshop.file("other.key")
        case "an encrypted key":
            let encrypted = workshop.file("encrypted.key")
            try workshop.run("pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", encrypted)
            key = encrypted
        case "an encrypted key of the old form":
            let encrypted = workshop.file("encrypted-old.key")
            try workshop.run(
                "rsa",
                "-traditional",
                "-in",
                workshop.file("rsa.key"),
                "-aes128",
                "-passout",
                "pass:secret",
                "-out",
                encrypted
            )
            key = encrypted
        case "a damaged chain": certificate = try file(pem + pem.replacing("A", with: "!"))
        case "a file of authorities": certificate = try file(String(repeating: pem, count: 40))
        default: Issue.record("no such fault")
        }
        do throws(TransportError) {
            _ = try TLSIdentity.load(certificateFile: certificate, keyFile: key)
            Issue.record("accepted")
        } catch {
            #expect(error.code == .certificateUnreadable)
            #expect(error.description.contains(text), "\(error)")
            #expect(error.description.contains(workshop.folder))
        }
    }

    @Test("is loaded once, and again when a file changed")
    func cache() async throws {
        let made = try workshop.make(CertificateWorkshop.Request())
        try await withFolder { folder in
            let (certificate, key) = (folder + "/own.pem", folder + "/own.key")
            try FileManager.default.copyItem(atPath: made.certificate, toPath: certificate)
            try FileManager.default.copyItem(atPath: made.key, toPath: key)
            let cache = TLSContextCache()
            let first = try await cache.identity(certificateFile: certificate, keyFile: key)
            let second = try await cache.identity(certificateFile: certificate, keyFile: key)
            #expect(first === second)
            #expect(first.validUntil == 2_493_072_000)
            let pem = try String(contentsOfFile: certificate, encoding: .utf8)
            try (pem + "\n").write(toFile: certificate, atomically: true, encoding: .utf8)
            let third = try await cache.identity(certificateFile: certificate, keyFile: key)
            #expect(first !== third)
        }
    }
}
