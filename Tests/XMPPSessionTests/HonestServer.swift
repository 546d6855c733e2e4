import XMPPCore
import XMPPCrypto
import XMPPSession

/// The server's side of a login behind TLS, by the rules: it checks flags, bindings and proofs.
struct HonestServer {
    var usesSASL2: Bool
    var mechanisms = [
        "PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-512",
        "SCRAM-SHA-512-PLUS",
    ]
    var types: [String]? = ["tls-server-end-point", "tls-exporter"]
    /// The binding data as seen from here: somebody in between has two channels.
    var bindings: [String: [UInt8]] = ["tls-exporter": [1, 1], "tls-server-end-point": [2, 2]]
    var sendsHash = true
    var tlsVersion = "0304"
    var inline = "<bind xmlns='urn:xmpp:bind:0'/>"
    /// What stands in `<success/>` behind the proof.
    var result =
        "<bound xmlns='urn:xmpp:bind:0'/><authorization-identifier>alice@gate.test/r1</authorization-identifier>"

    private(set) var isPlainSeen = false
    private var peer: SCRAMPeer?

    init(usesSASL2: Bool) {
        self.usesSASL2 = usesSASL2
    }

    private var namespace: String { usesSASL2 ? Namespace.sasl2 : Namespace.sasl }

    var features: String {
        let names = mechanisms.map { "<mechanism>\($0)</mechanism>" }.joined()
        let list =
            usesSASL2
            ? "<authentication xmlns='urn:xmpp:sasl:2'>\(names)<inline>\(inline)</inline></authentication>"
            : "<mechanisms \(sasl)>\(names)</mechanisms>"
        let announced = (types ?? []).map { "<channel-binding type='\($0)'/>" }.joined()
        return "<stream:features>\(list)"
            + (types == nil
                ? "" : "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>\(announced)</sasl-channel-binding>")
            + "</stream:features>"
    }

    private func failure(_ condition: String) -> String {
        "<failure xmlns='\(namespace)'><\(condition) \(sasl)/></failure>"
    }

    /// What it answers.
    mutating func answer(_ element: Element) -> String {
        if element.matches("auth", namespace) || element.matches("authenticate", namespace) { return begin(element) }
        guard element.matches("response", namespace) else { return failure("malformed-request") }
        let type = peer.flatMap { $0.header.hasPrefix("p=") ? String($0.header.dropFirst(2).dropLast(2)) : nil }
        let data = type.flatMap { bindings[$0] } ?? []
        guard let response = Base64.decode(element.text), let proof = peer?.final(response, bindingData: data) else {
            return failure("not-authorized")
        }
        return usesSASL2
            ? "<success xmlns='urn:xmpp:sasl:2'><additional-data>\(proof)</additional-data>\(result)</success>"
            : "<success \(sasl)>\(proof)</success>"
    }

    private mutating func begin(_ element: Element) -> String {
        let name = element[attribute: "mechanism"] ?? ""
        if name == "PLAIN" { isPlainSeen = true }
        let text = element.first("initial-response", namespace)?.text ?? element.text
        let isPlus = name.hasSuffix("-PLUS")
        guard mechanisms.contains(name),
            let mechanism = SCRAM.Mechanism(rawValue: isPlus ? String(name.dropLast(5)) : name),
            let first = Base64.decode(text)
        else { return failure("invalid-mechanism") }
        var extensions = ""
        if sendsHash {
            let algorithm: HashAlgorithm =
                switch mechanism {
                case .sha1: .sha1
                case .sha256: .sha256
                case .sha512: .sha512
                }
            let offer = SASLOffer(usesSASL2: usesSASL2, mechanisms: mechanisms, bindings: types)
            extensions = ",h=\(offer.downgradeProof(algorithm)),t=\(tlsVersion)"
        }
        var peer = SCRAMPeer(mechanism, extensions: extensions)
        let challenge = peer.challenge(first)
        self.peer = peer
        let offersPlus = mechanisms.contains { $0.hasSuffix("-PLUS") }
        // RFC 5802 section 6: a `y` where the -PLUS form was offered comes of a cut offer.
        if peer.header.hasPrefix("y") && offersPlus { return failure("malformed-request") }
        if peer.header.hasPrefix("p=") != isPlus { return failure("malformed-request") }
        return "<challenge xmlns='\(namespace)'>\(challenge)</challenge>"
    }
}

/// A login with an honest server, and somebody between the two.
struct Conversation {
    var server: HonestServer
    var login: Login
    var security = ChannelSecurity(
        tlsVersion: 0x0304, bindings: [.exporter: [1, 1], .serverEndPoint: [2, 2]])
    var toClient: (String) -> String = { $0 }
    var toServer: (String) -> String = { $0 }
    /// Everything that the client sent behind TLS.
    private(set) var sent = ""

    init(_ server: HonestServer, _ login: Login) {
        self.server = server
        self.login = login
    }

    /// Until somebody has nothing more to say.
    mutating func run() -> [NegotiationAction] {
        login.secure(security)
        var all = login.server(toClient(server.features))
        var pending = all
        for _ in 0..<8 {
            for case .derive(let derivation) in pending {
                let more = login.negotiation.derived(derivation.deriveKeys())
                all += more
                pending += more
            }
            sent += pending.sent
            let said = pending
            pending = []
            for element in said.heard(toServer) {
                let more = login.server(toClient(server.answer(element)))
                all += more
                pending += more
            }
            if pending.isEmpty { break }
        }
        return all
    }
}

extension [NegotiationAction] {
    /// The SASL elements that were sent, as they arrive behind somebody who edits them.
    fileprivate func heard(_ edit: (String) -> String) -> [XMPPCore.Element] {
        let text = sent
        // A header or a closing tag is no matter of the login's.
        guard !text.isEmpty, !text.contains("<?xml"), !text.hasPrefix("</") else { return [] }
        let parser = XMLStreamParser(limits: .normal)
        _ = parser.feed([UInt8](serverHeader.utf8))
        return parser.feed([UInt8](edit(text).utf8)).compactMap {
            if case .element(let element) = $0 { element } else { nil }
        }
    }
}
