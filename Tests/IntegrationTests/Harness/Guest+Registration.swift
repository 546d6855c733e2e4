import Foundation
import XMPPCore

/// Somebody without an account, who has an invitation to make one.
extension Guest {
    /// Makes an account by an invitation's token (XEP-0445, XEP-0077).
    static func register(_ address: String, password: String, token: String, at server: any RealServer) async throws {
        let guest = try Guest(BareJID(address), fd: Sockets.connect(port: server.plainPort))
        defer { guest.leave() }
        let host = guest.jid.domain
        let header = """
            <?xml version='1.0'?><stream:stream to='\(host)' version='1.0' xmlns='jabber:client' \
            xmlns:stream='http://etherx.jabber.org/streams'>
            """
        try Sockets.send(Array(header.utf8), to: guest.fd)
        _ = try await guest.next("the features") { $0.matches("features", Namespace.streams) }
        let preauth = Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", token)])
        try await guest.request("set", to: host, preauth)
        let registration = "jabber:iq:register"
        let fields = [("username", guest.jid.local ?? ""), ("password", password)].map { name, value in
            Element.Node.element(Element(name, namespace: registration, children: [.text(value)]))
        }
        try await guest.request("set", to: host, Element("query", namespace: registration, children: fields))
    }
}
