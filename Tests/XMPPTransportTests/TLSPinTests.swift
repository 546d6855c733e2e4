import Foundation
import Testing
import XMPPTransport

@Suite("Pinned keys")
struct TLSPinTests {
    private let workshop: CertificateWorkshop

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
    }

    private func meet(
        pins: [[UInt8]], _ change: (inout CertificateWorkshop.Request) -> Void = { _ in }
    ) async throws -> TransportError? {
        var request = CertificateWorkshop.Request()
        request.issuer = .intermediate
        change(&request)
        let server = try workshop.server(request)
        var client = try workshop.settings()
        client.pins = pins
        return try await withLoop { [client] loop in
            let wire = try await TLSMeeting.begin(on: loop, server: server, client: client)
            try await wire.clientEvents.wait { events in
                events.contains {
                    switch $0 {
                    case .secured, .closed: true
                    case .attempted, .connected, .received, .writable: false
                    }
                }
            }
            return wire.clientEvents.summary == nil ? try await wire.clientEvents.waitForError() : nil
        }
    }

    @Test(
        "are those of any certificate of the verified chain",
        arguments: [
            ["elliptic"], ["intermediate"], ["root"], ["stranger", "root"], ["elliptic", "intermediate", "root"],
        ]
    )
    func right(_ names: [String]) async throws {
        #expect(try await meet(pins: names.map { try workshop.pin($0) }) == nil)
    }

    @Test(
        "that no certificate has end the handshake, and the error shows the server's own",
        arguments: ["other", "stranger"])
    func wrong(_ name: String) async throws {
        let error = try #require(try await meet(pins: [try workshop.pin(name)]))
        #expect(error.code == .pinMismatch)
        #expect(error.certificateProblem == nil)
        let own = Data(try workshop.pin("elliptic")).base64EncodedString()
        #expect(error.description.contains(own))
        #expect(error.description.contains("example.org"))
    }

    @Test("of the wrong length, or of the certificate in place of its key, match nothing")
    func odd() async throws {
        let pin = try workshop.pin("elliptic")
        for odd in [[], Array(pin.dropLast()), pin + [0], [UInt8](repeating: 0, count: 32)] {
            #expect(try await meet(pins: [odd])?.code == .pinMismatch)
        }
    }

    @Test("do not help a certificate that is refused for another reason")
    func pinsReplaceNothing() async throws {
        let pins = [try workshop.pin("elliptic")]
        #expect(try await meet(pins: pins) { $0.end = "20210101000000Z" }?.certificateProblem == .expired)
        #expect(try await meet(pins: pins) { $0.names = "DNS:example.net" }?.certificateProblem == .wrongName)
        #expect(try await meet(pins: pins) { $0.issuer = .stranger }?.certificateProblem == .unknownAuthority)
        #expect(try await meet(pins: pins) { $0.issuer = .itself }?.certificateProblem == .selfSigned)
    }

    @Test("of a certificate that the server sends beside its chain do not count")
    func besideTheChain() async throws {
        let made = try workshop.make(CertificateWorkshop.Request())
        let both = workshop.file("beside.pem")
        let text = try [made.certificate, workshop.file("stranger.pem"), workshop.file("intermediate.pem")]
            .map { try String(contentsOfFile: $0, encoding: .utf8) }
        try text.joined().write(toFile: both, atomically: true, encoding: .utf8)
        let server = try TLSContext.server(certificateFile: both, keyFile: made.key)
        for name in ["stranger", "intermediate"] {
            var client = try workshop.settings()
            client.pins = [try workshop.pin(name)]
            try await withLoop { [client] loop in
                let error = try await TLSMeeting.failing(on: loop, server: server, client: client)
                #expect(error.code == .pinMismatch)
            }
        }
    }
}
