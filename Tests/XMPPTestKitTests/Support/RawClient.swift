import Testing
import XMPPCore
import XMPPCrypto
import XMPPTestKit
import XMPPTransport

extension BareJID {
    static let bot = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
}

/// A client that says what a test writes, and hands over what it hears.
actor RawClient {
    nonisolated let heard = EventRecorder<Element>()
    nonisolated let channelEvents = EventRecorder<ChannelEvent>()
    nonisolated let unownedExecutor: UnownedSerialExecutor
    let server: ScriptedServer
    private let parser = XMLStreamParser(limits: .normal)
    private var channel: (any Channel)?
    private(set) var tls: TLSSummary?

    init(_ server: ScriptedServer) {
        self.server = server
        unownedExecutor = server.loop.asUnownedSerialExecutor()
    }

    func connect(
        _ connector: (any Connector)? = nil, to address: ServerAddress = .domain("example.org"),
        security: TLSSettings? = nil
    ) async throws {
        parser.reset()
        let connector = connector ?? server.connector
        channel = connector.connect(to: address, security: security, on: server.loop) { [weak self] event in
            self?.assumeIsolated { $0.take(event) }
        }
    }

    private func take(_ event: ChannelEvent) {
        switch event {
        case .received(let bytes):
            for event in parser.feed(bytes) { if case .element(let element) = event { heard.record(element) } }
        case .secured(let summary): tls = summary
        case .attempted, .connected, .writable, .closed: break
        }
        channelEvents.record(event)
    }

    func send(_ text: String) { channel?.send(Array(text.utf8)) }

    func drop() { channel?.abort() }

    func openStream() {
        parser.reset()
        send(
            "<?xml version='1.0'?><stream:stream to='example.org' from='bot@example.org' version='1.0' "
                + "xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
    }

    func next(_ name: String) async throws -> Element {
        try await heard.next { $0.name == name }
    }

    /// Connects, and goes on to the features behind TLS.
    func secure() async throws -> Element {
        try await connect()
        _ = try await channelEvents.next { if case .connected = $0 { true } else { false } }
        openStream()
        _ = try await next("features")
        send("<starttls xmlns='\(Namespace.tls)'/>")
        _ = try await next("proceed")
        startTLS(domain: "example.org", context: nil)
        _ = try await channelEvents.next { if case .secured = $0 { true } else { false } }
        openStream()
        return try await next("features")
    }

    func startTLS(domain: String, context: TLSContext?) {
        guard let context = context ?? (try? TLSContext.client(caFile: nil)) else { return }
        channel?.startTLS(TLSSettings(domain: domain, context: context))
    }

    /// The client's side of SCRAM, up to the last message.
    func scram(
        _ mechanism: String, flag: String = "n", binding: [UInt8] = [], password: String = "secret",
        sasl2: Bool = false,
        inline: String = ""
    ) async throws -> (answer: Element, challenge: String, verified: Bool) {
        let bare = "n=bot,r=abcdefghijklmnopqrstuvwxyz"
        let first = Base64.encode(Array("\(flag),,\(bare)".utf8))
        let namespace = sasl2 ? "urn:xmpp:sasl:2" : Namespace.sasl
        send(
            sasl2
                ? "<authenticate xmlns='\(namespace)' mechanism='\(mechanism)'>"
                    + "<initial-response>\(first)</initial-response>\(inline)</authenticate>"
                : "<auth xmlns='\(namespace)' mechanism='\(mechanism)'>\(first)</auth>")
        let answer = try await heard.next { ["challenge", "failure"].contains($0.name) }
        guard answer.name == "challenge" else { return (answer, "", false) }
        let challenge = String(decoding: Base64.decode(answer.text) ?? [], as: UTF8.self)
        let fields = challenge.split(separator: ",").map(String.init)
        let algorithm: HashAlgorithm =
            mechanism.contains("512") ? .sha512 : mechanism.contains("256") ? .sha256 : .sha1
        let salted = pbkdf2(
            algorithm, password: Secret(password), salt: Base64.decode(String(fields[1].dropFirst(2))) ?? [],
            iterations: Int(fields[2].dropFirst(2)) ?? 0)
        let withoutProof = "c=\(Base64.encode(Array("\(flag),,".utf8) + binding)),\(fields[0])"
        let message = Array("\(bare),\(challenge),\(withoutProof)".utf8)
        let key = hmac(algorithm, key: salted, message: Array("Client Key".utf8))
        let signature = hmac(algorithm, key: digest(algorithm, key), message: message)
        let final = "\(withoutProof),p=\(Base64.encode(zip(key, signature).map { $0 ^ $1 }))"
        send("<response xmlns='\(namespace)'>\(Base64.encode(Array(final.utf8)))</response>")
        let last = try await heard.next { ["success", "failure", "continue"].contains($0.name) }
        let data = sasl2 ? last.first("additional-data", namespace)?.text ?? "" : last.text
        let serverKey = hmac(algorithm, key: salted, message: Array("Server Key".utf8))
        let proof = "v=\(Base64.encode(hmac(algorithm, key: serverKey, message: message)))"
        return (last, challenge, String(decoding: Base64.decode(data) ?? [], as: UTF8.self) == proof)
    }

    /// A bound session by RFC 6120.
    func bound(resource: String = "r") async throws -> Element {
        _ = try await secure()
        _ = try await scram("SCRAM-SHA-1")
        openStream()
        let features = try await next("features")
        send(
            "<iq type='set' id='b'><bind xmlns='\(Namespace.bind)'><resource>\(resource)</resource></bind></iq>")
        _ = try await heard.next { $0[attribute: "id"] == "b" }
        return features
    }
}

func withServer(
    _ behaviour: ServerBehaviour = .modern, _ body: (ScriptedServer, RawClient) async throws -> Void
) async throws {
    let server = try ScriptedServer()
    await server.behave { $0 = behaviour }
    await server.add(.bot, password: "secret")
    try await body(server, RawClient(server))
    await server.stopListening()
    server.loop.stop()
}
