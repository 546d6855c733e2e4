import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit
import XMPPTransport

/// The same server over TCP and TLS, with an authority of the test's own.
@Suite struct ServerListeningTests {
    @Test("STARTTLS and direct TLS lead to the same login", arguments: [true, false])
    func login(isDirect: Bool) async throws {
        let authority = try TestAuthority()
        let certificate = try authority.certificate(for: "example.org")
        try await withServer { server, client in
            let port = try await server.listen(with: certificate, isDirectTLS: isDirect)
            let caFile = authority.caFile
            let context = try await BlockingPool.run { try TLSContext.client(caFile: caFile) }
            let listener = ServerAddress.host("127.0.0.1", port: port)
            try await client.connect(SocketConnector(), to: listener)
            _ = try await client.channelEvents.next { if case .connected = $0 { true } else { false } }
            if !isDirect {
                await client.openStream()
                _ = try await client.next("features")
                await client.send("<starttls xmlns='\(Namespace.tls)'/>")
                _ = try await client.next("proceed")
            }
            await client.startTLS(domain: "example.org", context: context)
            _ = try await client.channelEvents.next { if case .secured = $0 { true } else { false } }
            await client.openStream()
            _ = try await client.next("features")
            let (answer, _, verified) = try await client.scram("SCRAM-SHA-256")
            #expect(answer.name == "success")
            #expect(verified)
            await client.drop()
        }
    }

    @Test("whoever does not trust the authority, or wants another name, gets no further")
    func distrust() async throws {
        let (authority, stranger) = (try TestAuthority(), try TestAuthority())
        let certificate = try authority.certificate(for: "example.org", "xn--bcher-kva.example")
        for (caFile, domain, isGood) in [
            (authority.caFile, "example.org", true), (authority.caFile, "xn--bcher-kva.example", true),
            (stranger.caFile, "example.org", false), (authority.caFile, "example.net", false),
        ] {
            try await withServer { server, client in
                let port = try await server.listen(with: certificate, isDirectTLS: true)
                let context = try await BlockingPool.run { try TLSContext.client(caFile: caFile) }
                try await client.connect(SocketConnector(), to: .host("127.0.0.1", port: port))
                _ = try await client.channelEvents.next { if case .connected = $0 { true } else { false } }
                await client.startTLS(domain: domain, context: context)
                let event = try await client.channelEvents.next {
                    if case .secured = $0 { return true }
                    return if case .closed = $0 { true } else { false }
                }
                if case .secured = event { #expect(isGood) } else { #expect(!isGood) }
                await client.drop()
            }
        }
    }

    @Test("an authority's files go with it")
    func files() throws {
        var authority: TestAuthority? = try TestAuthority()
        let file = try #require(authority?.caFile)
        _ = try authority?.clientCertificate(for: "bot@example.org")
        #expect(throws: Never.self) { try TLSContext.client(caFile: file) }
        authority = nil
        #expect(throws: TransportError.self) { try TLSContext.client(caFile: file) }
    }
}
