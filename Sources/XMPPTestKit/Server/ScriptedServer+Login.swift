import XMPPCore
import XMPPTransport

/// The server's side of RFC 6120 sections 4 to 7.
extension ScriptedServer {
    func opened(_ header: Element, _ number: Int) {
        guard let connection = connections[number] else { return }
        let domain = header[attribute: "to"] ?? ""
        connections[number]?.domain = domain
        guard behaviour.silentFrom != .features else { return }
        connection.send(
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='\(Namespace.streams)' "
                + "id='s\(number)' from='\(domain)' version='1.0'>" + behaviour.whiteSpace
                + "<stream:features>\(features(connection))</stream:features>" + behaviour.whiteSpace
        )
    }

    private func features(_ connection: ServerConnection) -> String {
        let mechanisms =
            "<mechanisms xmlns='\(Namespace.sasl)'>"
            + behaviour.mechanisms.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>"
        switch connection.stage {
        case .plain:
            guard behaviour.offersStartTLS else { return mechanisms }
            let required = behaviour.requiresStartTLS ? "<required/>" : ""
            return "<starttls xmlns='\(Namespace.tls)'>\(required)</starttls>"
                + (behaviour.requiresStartTLS ? "" : mechanisms)
        case .secured, .challenged, .proved:
            return mechanisms
        case .authenticated, .bound:
            let preApproval = behaviour.keepsPreApprovals ? "<sub xmlns='\(Namespace.preApproval)'/>" : ""
            return "<bind xmlns='\(Namespace.bind)'/>" + preApproval
        }
    }

    func negotiate(_ element: Element, _ number: Int) {
        guard let connection = connections[number] else { return }
        switch connection.stage {
        case .plain:
            guard element.matches("starttls", Namespace.tls) else { return unexpected(connection) }
            guard behaviour.silentFrom != .proceed else { return }
            guard behaviour.proceedsToTLS else {
                connection.send("<failure xmlns='\(Namespace.tls)'/></stream:stream>")
                connection.channel.close()
                return
            }
            connection.send("<proceed xmlns='\(Namespace.tls)'/>" + behaviour.injectedAfterProceed)
            connections[number]?.stage = .secured
            connection.parser.reset()
        case .secured:
            guard element.matches("auth", Namespace.sasl) else { return unexpected(connection) }
            guard behaviour.silentFrom != .challenge else { return }
            begin(element, number)
        case .challenged(let scram):
            guard element.matches("response", Namespace.sasl) else { return unexpected(connection) }
            guard behaviour.silentFrom != .success else { return }
            finish(scram, Base64.decode(element.text) ?? [], number)
        case .proved(let jid):
            succeed(jid, "", number)
        case .authenticated(let jid):
            guard let iq = IQ(element), let bind = iq.payload, bind.matches("bind", Namespace.bind) else {
                return unexpected(connection)
            }
            guard behaviour.silentFrom != .bind else { return }
            let resource = bind.first("resource", Namespace.bind)?.text ?? "made-by-server"
            let bound = Element("jid", namespace: Namespace.bind, children: [.text("\(jid)/\(resource)")])
            connections[number]?.stage = .bound(jid)
            accounts[jid]?.connection = number
            accounts[jid]?.isAvailable = false
            events.record(.bound(jid, connection: number))
            connection.send(
                iq.result(Element("bind", namespace: Namespace.bind, children: [.element(bound)]))
            )
        case .bound:
            break
        }
    }

    private func begin(_ auth: Element, _ number: Int) {
        guard let connection = connections[number] else { return }
        if case .beforeChallenge = behaviour.proof {
            connection.send("<success xmlns='\(Namespace.sasl)'/>")
            return
        }
        let scram = ServerSCRAM(
            mechanism: auth[attribute: "mechanism"] ?? "",
            clientFirst: Base64.decode(auth.text) ?? []
        ) { user in accounts.values.first { $0.jid == Self.jid(user, connection.domain) }?.password }
        guard let scram else { return fail("invalid-mechanism", nil, connection) }
        connections[number]?.stage = .challenged(scram)
        let challenge = Base64.encode(scram.challenge)
        connection.send("<challenge xmlns='\(Namespace.sasl)'>\(challenge)</challenge>" + behaviour.whiteSpace)
    }

    private func finish(_ scram: ServerSCRAM, _ response: [UInt8], _ number: Int) {
        guard let connection = connections[number] else { return }
        let jid = Self.jid(scram.username, connection.domain)
        let final = scram.final(for: response)
        guard let jid, let account = accounts[jid], account.refusal == nil, var final else {
            let condition = jid.flatMap { accounts[$0]?.refusal } ?? "not-authorized"
            return fail(condition, jid, connection)
        }
        switch behaviour.proof {
        case .proper:
            succeed(jid, Base64.encode(final), number)
        case .inChallenge:
            connections[number]?.stage = .proved(jid)
            connection.send("<challenge xmlns='\(Namespace.sasl)'>\(Base64.encode(final))</challenge>")
        case .absent, .beforeChallenge:
            succeed(jid, "", number)
        case .empty:
            succeed(jid, "=", number)
        case .wrong:
            let text = String(decoding: final.dropFirst(2), as: UTF8.self)
            var signature = Base64.decode(text) ?? [0]
            signature[0] ^= 1
            final = Array("v=\(Base64.encode(signature))".utf8)
            succeed(jid, Base64.encode(final), number)
        case .errorText:
            succeed(jid, Base64.encode(Array("e=other-error".utf8)), number)
        }
    }

    private func succeed(_ jid: BareJID, _ data: String, _ number: Int) {
        guard let connection = connections[number] else { return }
        connection.send("<success xmlns='\(Namespace.sasl)'>\(data)</success>" + behaviour.whiteSpace)
        connections[number]?.stage = .authenticated(jid)
        connection.parser.reset()
    }

    private func fail(_ condition: String, _ jid: BareJID?, _ connection: ServerConnection) {
        if let jid { events.record(.refused(jid)) }
        connection.send("<failure xmlns='\(Namespace.sasl)'><\(condition)/></failure></stream:stream>")
        connection.channel.close()
    }

    private func unexpected(_ connection: ServerConnection) {
        connection.send(Self.streamError("not-authorized"))
        connection.channel.close()
    }

    private static func jid(_ user: String, _ domain: String) -> BareJID? {
        try? BareJID("\(user)@\(domain)")
    }
}
