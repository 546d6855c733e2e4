import Foundation
import Testing
import XMPPTestKit
import XMPPTransport

@Suite("TLS")
struct TLSTests {
    private let workshop: CertificateWorkshop
    private let server: TLSSettings
    private let client: TLSSettings

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
        server = TLSSettings(domain: "", context: try workshop.server())
        client = try workshop.settings()
    }

    /// A wire with TLS on it, by direct TLS.
    private func securedWire(on loop: EventLoop, _ script: @escaping Wire.Script = { _, _ in }) async throws -> Wire {
        let server = server
        let client = client
        let wire = try await Wire.make(on: loop) { channel, event in
            if case .connected = event { channel.startTLS(server) }
            script(channel, event)
        }
        try await wire.onLoop { $0.client.startTLS(client) }
        try await wire.clientEvents.waitForSecured()
        try await wire.serverEvents.waitForSecured()
        return wire
    }

    @Test("begins behind STARTTLS on both ends, and carries what was sent meanwhile")
    func startTLS() async throws {
        let (server, client) = (server, client)
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop) { channel, event in
                guard case .received(let bytes) = event else { return }
                if bytes == utf8("starttls") {
                    channel.send(utf8("proceed"))
                    channel.startTLS(server)
                } else {
                    channel.send(bytes)
                }
            }
            try await wire.onLoop { $0.client.send(utf8("starttls")) }
            try await wire.clientEvents.waitForText("proceed")
            try await wire.onLoop { wire in
                wire.client.startTLS(client)
                wire.client.send(utf8(" and secrets"))
            }
            try await wire.clientEvents.waitForText("proceed and secrets")
            #expect(wire.clientEvents.story == ["connected", "received", "secured", "received"])
            guard case .secured(let summary) = wire.clientEvents.values[2] else { return }
            #expect(summary.version == "TLSv1.3")
            #expect(summary.cipher.hasPrefix("TLS_"))
        }
    }

    @Test("carries much in both directions at once")
    func large() async throws {
        try await withLoop { loop in
            let wire = try await securedWire(on: loop)
            let bytes = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await wire.onLoop { wire in
                wire.client.send(bytes)
                wire.server.send(bytes)
            }
            try await wire.serverEvents.waitForBytes(bytes.count)
            try await wire.clientEvents.waitForBytes(bytes.count)
            #expect(wire.serverEvents.bytes == bytes)
            #expect(wire.clientEvents.bytes == bytes)
        }
    }

    @Test("carries many small pieces in order")
    func small() async throws {
        try await withLoop { loop in
            let wire = try await securedWire(on: loop)
            for number in 0..<300 { try await wire.onLoop { $0.client.send(utf8("\(number),")) } }
            try await wire.serverEvents.waitForText((0..<300).map { "\($0)," }.joined())
        }
    }

    @Test("ends with close_notify, and the last bytes arrive")
    func orderlyEnd() async throws {
        try await withLoop { loop in
            let wire = try await securedWire(on: loop)
            try await wire.onLoop { wire in
                wire.client.send(utf8("bye"))
                wire.client.close()
            }
            #expect(try await wire.serverEvents.waitForClosure() == .endOfStream)
            #expect(try await wire.clientEvents.waitForClosure() == .local)
            #expect(wire.serverEvents.text == "bye")
        }
    }

    @Test("that is cut off without close_notify is a failure")
    func truncation() async throws {
        try await withLoop { loop in
            let wire = try await securedWire(on: loop)
            try await wire.onLoop { $0.client.abort() }
            let error = try await wire.serverEvents.waitForError()
            #expect(error.code == .tlsTruncated)
        }
    }

    @Test("keeps back-pressure, and tells when there is room")
    func backPressure() async throws {
        try await withLoop { loop in
            let wire = try await securedWire(on: loop)
            try await wire.onLoop { $0.server.setReading(false) }
            let bytes = [UInt8](repeating: 7, count: 8 << 20)
            try await wire.onLoop { $0.client.send(bytes) }
            await loop.settle()
            try await wire.onLoop { $0.server.setReading(true) }
            try await wire.serverEvents.waitForBytes(bytes.count)
            try await wire.clientEvents.wait { $0.contains { if case .writable = $0 { true } else { false } } }
            #expect(wire.serverEvents.bytes == bytes)
        }
    }

    @Test(
        "refuses what was sent in clear behind the agreement",
        arguments: ["<features/>", " ", "<suc", "\u{0}", "\u{80}\u{1}"],
        [true, false]
    )
    func injection(_ text: String, isInSameTurn: Bool) async throws {
        let client = client
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { $0.server.send(utf8("proceed")) }
            try await wire.clientEvents.waitForText("proceed")
            if isInSameTurn {
                // There before startTLS, not yet read.
                try await wire.onLoop { $0.client.setReading(false) }
                try await wire.onLoop { $0.server.send(utf8(text)) }
                for _ in 0..<5 { await loop.settle() }
                try await wire.onLoop { $0.client.startTLS(client) }
            } else {
                try await wire.onLoop { $0.client.startTLS(client) }
                try await wire.serverEvents.waitForBytes(1)
                try await wire.onLoop { $0.server.send(utf8(text)) }
            }
            // A lone byte is no record yet; the end then tells.
            try await wire.onLoop { $0.server.close() }
            let error = try await wire.clientEvents.waitForError()
            #expect(error.code == .plaintextAfterStartTLS || error.code == .tlsFailed)
            if isInSameTurn { #expect(error.code == .plaintextAfterStartTLS) }
            #expect(wire.clientEvents.text == "proceed")
            #expect(wire.clientEvents.closureCount == 1)
        }
    }

    @Test("gives a handshake fifteen seconds")
    func handshakeDeadline() async throws {
        let client = client
        let time = ManualTime()
        try await withLoop(time) { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { $0.client.startTLS(client) }
            try await wire.serverEvents.waitForBytes(1)
            time.advance(by: .milliseconds(14_999))
            await loop.settle()
            #expect(wire.clientEvents.closure == nil)
            time.advance(by: .milliseconds(1))
            #expect(try await wire.clientEvents.waitForError().code == .timedOut)
        }
    }

    @Test("fails when the peer ends within the handshake")
    func endInHandshake() async throws {
        let client = client
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop) { channel, event in
                if case .received = event { channel.close() }
            }
            try await wire.onLoop { $0.client.startTLS(client) }
            let error = try await wire.clientEvents.waitForError()
            #expect([.tlsFailed, .connectionLost].contains(error.code))
        }
    }

    @Test("accepts nothing below TLS 1.2", arguments: [("-tls1_2", true), ("-tls1_1", false), ("-tls1", false)])
    func versions(_ option: String, isAccepted: Bool) async throws {
        let (server, folder) = (server, workshop.folder)
        try await withLoop { loop in
            let events = Recorder<ChannelEvent>()
            let listener = try Listener.tcp(on: loop) { connection in
                { event in
                    events.record(event)
                    if case .connected = event { connection.channel.startTLS(server) }
                }
            }
            defer { listener.close() }
            let command = try OpenSSLClient(
                port: listener.port, [option, "-cipher", "ALL:@SECLEVEL=0", "-CAfile", folder + "/root.pem", "-quiet"])
            defer { withExtendedLifetime(command) {} }
            if isAccepted {
                try await events.waitForSecured()
            } else {
                let error = try await events.waitForError()
                #expect(error.code == .tlsFailed)
            }
        }
    }

    @Test(
        "refuses a name that no certificate can be for",
        arguments: ["", ".example.org", "example.org.", "*.org", "a b"]
    )
    func unusableNames(_ domain: String) async throws {
        let context = client.context
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { $0.client.startTLS(TLSSettings(domain: domain, context: context)) }
            #expect(try await wire.clientEvents.waitForError().code == .tlsFailed)
            #expect(wire.serverEvents.bytes.isEmpty)
        }
    }

    @Test("survives a peer that sends rubbish in place of any part of the handshake", arguments: 0..<24)
    func rubbish(_ seed: Int) async throws {
        let client = client
        try await withLoop { loop in
            let wire = try await Wire.make(on: loop)
            try await wire.onLoop { $0.client.startTLS(client) }
            try await wire.serverEvents.waitForBytes(1)
            var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
            let noise = (0..<600).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            // Some of it in the shape of records.
            let head: [UInt8] = seed % 3 == 0 ? [] : seed % 3 == 1 ? [22, 3, 3, 2, 0] : [21, 3, 3, 0, 2]
            try await wire.onLoop { wire in
                wire.server.send(head + noise)
                wire.server.close()
            }
            _ = try await wire.clientEvents.waitForError()
            #expect(wire.clientEvents.story.count == 2)
        }
    }
}

@Suite("The trusted authorities")
struct TLSContextTests {
    @Test("must be readable and be some")
    func unreadable() async throws {
        try await withFolder { folder in
            let empty = folder + "/empty.pem"
            try "".write(toFile: empty, atomically: true, encoding: .utf8)
            for path in [folder + "/none.pem", empty, folder] {
                do throws(TransportError) {
                    _ = try TLSContext.client(caFile: path)
                    Issue.record("\(path) was accepted")
                } catch {
                    #expect(error.code == .caFileUnreadable)
                    #expect(error.description.contains(path))
                }
            }
        }
    }

    @Test("are loaded once, and again when the file changed")
    func cache() async throws {
        let workshop = try CertificateWorkshop.shared.get()
        try await withFolder { folder in
            let path = folder + "/ca.pem"
            let pem = try String(contentsOfFile: workshop.authority, encoding: .utf8)
            try pem.write(toFile: path, atomically: true, encoding: .utf8)
            let cache = TLSContextCache()
            let first = try await cache.context(caFile: path)
            let second = try await cache.context(caFile: path)
            #expect(first === second)
            try (pem + "\n" + pem).write(toFile: path, atomically: true, encoding: .utf8)
            let third = try await cache.context(caFile: path)
            #expect(first !== third)
            let system = try await cache.context(caFile: nil)
            #expect(system !== third)
            try FileManager.default.removeItem(atPath: path)
            await #expect(throws: TransportError.self) { _ = try await cache.context(caFile: path) }
        }
    }

    @Test("of the system are loaded once, and again when one was added or removed")
    func systemCache() async throws {
        let workshop = try CertificateWorkshop.shared.get()
        try await withFolder { folder in
            let (file, store) = (folder + "/ca.pem", folder + "/certs")
            try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
            let pem = try String(contentsOfFile: workshop.authority, encoding: .utf8)
            try (pem + pem).write(toFile: file, atomically: true, encoding: .utf8)
            let cache = TLSContextCache(systemAuthorities: { [file, store, folder + "/none"] })
            let first = try await cache.context(caFile: nil)
            #expect(try await cache.context(caFile: nil) === first)
            // Another context: sessions that were verified by the authorities of before are not found by it.
            try pem.write(toFile: file, atomically: true, encoding: .utf8)
            let second = try await cache.context(caFile: nil)
            #expect(second !== first)
            try pem.write(toFile: store + "/1.0", atomically: false, encoding: .utf8)
            let third = try await cache.context(caFile: nil)
            #expect(third !== second)
            #expect(try await cache.context(caFile: nil) === third)
        }
        // Where OpenSSL looks, as its command says.
        let (_, output) = Command.run(["openssl", "version", "-d"])
        let home = String(decoding: output, as: UTF8.self).split(separator: "\"").dropFirst().first.map(String.init)
        let expected = [(try #require(home)) + "/cert.pem", home.map { $0 + "/certs" } ?? ""]
        let variables = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        guard variables.allSatisfy({ ProcessInfo.processInfo.environment[$0] == nil }) else { return }
        #expect(TLSContext.systemAuthorities == expected)
    }

    @Test("of a server need its certificate and the key that belongs to it")
    func serverFiles() throws {
        let workshop = try CertificateWorkshop.shared.get()
        let made = try workshop.make(CertificateWorkshop.Request())
        #expect(throws: TransportError.self) {
            try TLSContext.server(certificateFile: made.certificate, keyFile: workshop.file("weak.key"))
        }
        #expect(throws: TransportError.self) {
            try TLSContext.server(certificateFile: workshop.file("none"), keyFile: made.key)
        }
        _ = try TLSContext.server(certificateFile: made.certificate, keyFile: made.key)
    }
}
