import XMPPCore
import XMPPCrypto
import XMPPSession

/// A server's header on the stream of the transcripts.
let serverHeader =
    "<?xml version='1.0'?><stream:stream id='a774f7b0' xml:lang='en' xmlns='jabber:client' "
    + "xmlns:stream='http://etherx.jabber.org/streams' version='1.0' from='gate.test'>"

let sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
let tls = "xmlns='urn:ietf:params:xml:ns:xmpp-tls'"

/// A negotiation with the parser in front of it that its driver would have.
struct Login {
    var negotiation: StreamNegotiation
    let parser = XMLStreamParser(limits: .beforeLogin)
    /// What observers were told.
    var steps: [NegotiationStep] = []

    init(
        account: String = "alice@gate.test",
        password: String = "pw",
        resource: String? = "r1",
        nonce: [UInt8]? = Base64.decode("6yoz5xYciZAEw4ZoKIJEzyqL"),
        bounds: ClosedRange<Int> = 4096...100_000,
        configure: (inout StreamNegotiation.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = StreamNegotiation.Configuration(
            account: try BareJID(account),
            password: Secret(password),
            resource: resource,
            nonce: nonce ?? [],
            iterationBounds: bounds
        )
        configure(&configuration)
        negotiation = StreamNegotiation(configuration)
    }

    /// Feeds what the server sends, and does what a driver does with its parser; steps go to `steps`.
    mutating func server(_ text: String) -> [NegotiationAction] { server(Array(text.utf8)) }

    mutating func server(_ bytes: [UInt8]) -> [NegotiationAction] {
        var actions: [NegotiationAction] = []
        for event in parser.feed(bytes) { actions += negotiation.received(event) }
        for action in actions {
            switch action {
            case .startTLS:
                // A part of an element behind <proceed/> makes no event.
                if parser.unconsumedBytes > 0, actions.error == nil {
                    actions.append(.fail(.plaintextAfterStartTLS))
                }
                parser.reset()
            case .resetParser: parser.reset()
            case .raiseLimits: parser.limits = .normal
            case .observed(let step): steps.append(step)
            case .send, .derive, .established, .resumed, .forgetToken, .fail: break
            }
        }
        return actions.filter { if case .observed = $0 { false } else { true } }
    }

    /// Up to the features behind TLS.
    mutating func secure(_ security: ChannelSecurity = ChannelSecurity()) {
        _ = negotiation.connected()
        _ = server(serverHeader + "<stream:features><starttls \(tls)/></stream:features>")
        _ = server("<proceed \(tls)/>")
        _ = negotiation.secured(security)
        _ = server(serverHeader)
    }

    /// Up to the sent proof, for the challenge of Prosody's transcript.
    mutating func prove() {
        secure()
        _ = server(mechanisms("SCRAM-SHA-1"))
        let actions = server("<challenge \(sasl)>\(prosodyChallenge)</challenge>")
        if case .derive(let derivation) = actions.first { _ = negotiation.derived(derivation.deriveKeys()) }
    }

    /// Up to the header of the last stream.
    mutating func logIn() {
        prove()
        _ = server("<success \(sasl)>\(prosodySuccess)</success>")
        _ = server(serverHeader)
    }
}

func mechanisms(_ names: String...) -> String {
    "<stream:features><mechanisms \(sasl)>" + names.map { "<mechanism>\($0)</mechanism>" }.joined()
        + "</mechanisms></stream:features>"
}

let prosodyChallenge =
    "cj02eW96NXhZY2laQUV3NFpvS0lKRXp5cUwwOGE3M2MxZC1hNWI4LTQwMGMtYTEwNS00ODE2YzlmM2I3YzIscz1OMkpsWmpjNE56RXRZV05tTVMwMFlqQTRMV0kyWlRVdE5qTmhPVEE1WlRFeE5qbGwsaT0xMDAwMA=="
let prosodySuccess = "dj0zUUZ0WVNLVzhIblpLWUJ4ZGl3QjlQM3JxR1k9"

func send(_ text: String) -> NegotiationAction {
    .send(Array(text.utf8))
}

extension [NegotiationAction] {
    /// The error, where the last action is a failure.
    var error: SessionError? {
        if case .fail(let error) = last { error } else { nil }
    }

    /// Everything sent.
    var sent: String {
        reduce(into: "") { if case .send(let bytes) = $1 { $0 += String(decoding: bytes, as: UTF8.self) } }
    }
}
