import XMPPCore
import XMPPTransport

/// One connection as the server has it.
struct ServerConnection {
    enum Stage {
        case plain
        case secured
        /// Its challenge is out.
        case challenged(ServerSCRAM)
        /// The proof came in a challenge; the empty response is awaited.
        case proved(BareJID)
        case authenticated(BareJID)
        case bound(BareJID)
    }

    let number: Int
    let channel: MemoryChannel
    let parser = XMLStreamParser(limits: .normal)
    var stage = Stage.plain
    /// The domain that the client named.
    var domain = ""

    var account: BareJID? {
        switch stage {
        case .authenticated(let jid), .bound(let jid): jid
        case .plain, .secured, .challenged, .proved: nil
        }
    }

    var isSecured: Bool {
        if case .plain = stage { false } else { true }
    }

    func send(_ text: String) { channel.send(Array(text.utf8)) }

    func send(_ element: Element) { channel.send(element.serialized(inside: Namespace.client)) }
}
