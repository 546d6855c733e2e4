import XMPPCore
import XMPPTransport

/// The server's side of RFC 6120 sections 4, 5 and 7.
extension ScriptedServer {
    func opened(_ header: Element, _ number: Int) {
        guard let connection = connections[number] else { return }
        let domain = header[attribute: "to"] ?? ""
        connections[number]?.domain = domain
        connections[number]?.from = header[attribute: "from"]
        let start =
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='\(Namespace.streams)' "
            + "id='s\(number)' from='\(domain)' version='1.0'>"
        switch connection.stage {
        case .plain: if interrupt(.headerInClear, number, before: start) { return }
        case .secured: if interrupt(.headerBehindTLS, number, before: start) { return }
        case .authenticated: if interrupt(.headerBehindLogin, number, before: start) { return }
        case .securing, .exchanging, .bound: break
        }
        guard behaviour.silentFrom != .features else { return }
        connection.send(start + behaviour.whiteSpace + features(number) + behaviour.whiteSpace)
    }

    func features(_ number: Int) -> String {
        guard let connection = connections[number] else { return "" }
        let inside =
            switch connection.stage {
            case .plain where behaviour.offersStartTLS:
                "<starttls xmlns='\(Namespace.tls)'>"
                    + (behaviour.requiresStartTLS ? "<required/></starttls>" : "</starttls>" + loginFeatures)
            case .plain, .securing, .secured, .exchanging: loginFeatures
            case .authenticated, .bound: sessionFeatures
            }
        return "<stream:features>\(inside)</stream:features>"
    }

    private var sessionFeatures: String {
        var text = "<bind xmlns='\(Namespace.bind)'/>"
        switch behaviour.sessionRequest {
        case .absent: break
        case .optional: text += "<session xmlns='\(Namespace.session)'><optional/></session>"
        case .required: text += "<session xmlns='\(Namespace.session)'/>"
        }
        if behaviour.streamManagement != nil { text += "<sm xmlns='\(Names.streamManagement)'/>" }
        if behaviour.keepsRosterVersions { text += "<ver xmlns='\(Namespace.rosterVersions)'/>" }
        if behaviour.keepsPreApprovals { text += "<sub xmlns='\(Namespace.preApproval)'/>" }
        return text
    }

    func negotiate(_ element: Element, _ number: Int) {
        guard let connection = connections[number] else { return }
        switch connection.stage {
        case .plain:
            guard element.matches("starttls", Namespace.tls) else { return unexpected(number) }
            startTLS(connection)
        case .securing:
            unexpected(number)
        case .secured:
            if !beginLogin(element, number) { unexpected(number) }
        case .exchanging(let exchange):
            // Some servers let a client begin anew in the middle of an exchange; so does this one.
            if beginLogin(element, number) { return }
            if element.matches("response", exchange.namespace) {
                respond(element, exchange, number)
            } else if element.matches("abort", exchange.namespace) {
                refuse("aborted", exchange, nil, number)
            } else {
                unexpected(number)
            }
        case .authenticated(let jid):
            if element.matches("resume", Names.streamManagement) {
                resumeBehindLogin(element, jid, number)
            } else {
                bind(element, jid, number)
            }
        case .bound:
            break
        }
    }

    private func beginLogin(_ element: Element, _ number: Int) -> Bool {
        if element.matches("auth", Namespace.sasl) {
            authenticate(element, .sasl, number)
        } else if element.matches("authenticate", Names.sasl2), behaviour.sasl2 != nil {
            authenticate(element, .sasl2, number)
        } else {
            return false
        }
        return true
    }

    private func startTLS(_ connection: ServerConnection) {
        let number = connection.number
        if interrupt(.startTLS, number) { return }
        guard behaviour.silentFrom != .proceed else { return }
        guard behaviour.proceedsToTLS else {
            connection.send("<failure xmlns='\(Namespace.tls)'/></stream:stream>")
            connection.channel.close()
            return
        }
        connection.send("<proceed xmlns='\(Namespace.tls)'/>" + behaviour.injectedAfterProceed)
        connection.parser.reset()
        connections[number]?.stage = .securing
        if let settings = listening[connection.number] {
            connection.channel.startTLS(settings)
        } else {
            // In memory nothing is shaken: the client's end says by itself that it is done.
            secured(tls, number)
        }
    }

    func secured(_ summary: TLSSummary, _ number: Int) {
        connections[number]?.tls = summary
        connections[number]?.stage = .secured
    }

    private func bind(_ element: Element, _ jid: BareJID, _ number: Int) {
        guard let connection = connections[number] else { return }
        guard let iq = IQ(element), let bind = iq.payload, bind.matches("bind", Namespace.bind) else {
            return unexpected(number)
        }
        if interrupt(.binding, number) { return }
        guard behaviour.silentFrom != .bind else { return }
        if let condition = behaviour.bindRefusal {
            return connection.send(Self.bindError(condition, iq.id))
        }
        let resource = bind.first("resource", Namespace.bind)?.text ?? "made-by-server"
        if behaviour.resourceConflict == .refusesNew, holder(of: resource, jid, besides: number) != nil {
            return connection.send(Self.bindError("conflict", iq.id))
        }
        guard let full = begin(jid, resource: resource, number) else { return unexpected(number) }
        let bound = Element("jid", namespace: Namespace.bind, children: [.text(full.description)])
        let result = iq.result(Element("bind", namespace: Namespace.bind, children: [.element(bound)]))
        connection.send(result.serialized(inside: Namespace.client))
    }

    /// A new session of an account; one that holds the same resource is thrown out.
    ///
    /// - Returns: The bound address; nil where it cannot be one.
    func begin(_ jid: BareJID, resource: String, _ number: Int) -> JID? {
        var resource = resource
        switch behaviour.resourceConflict {
        case .replacesOld:
            if let other = holder(of: resource, jid, besides: number) { end(other, with: "conflict") }
        case .refusesNew:
            break
        case .renamesNew:
            if holder(of: resource, jid, besides: number) != nil { resource += "-\(number)" }
        case .allowsOne:
            for other in connections.values where other.number != number && other.jid?.bare == jid {
                end(other.number, with: "conflict")
            }
        }
        guard let full = try? JID(jid, resource: resource) else { return nil }
        connections[number]?.jid = full
        connections[number]?.stage = .bound(jid)
        accounts[jid]?.connection = number
        accounts[jid]?.isAvailable = false
        events.record(.bound(jid, connection: number))
        return full
    }

    /// The connection whose session has a resource of the account.
    private func holder(of resource: String, _ jid: BareJID, besides number: Int) -> Int? {
        guard let full = try? JID(jid, resource: resource) else { return nil }
        return connections.values.first { $0.number != number && $0.jid == full }?.number
    }

    private static func bindError(_ condition: String, _ id: String?) -> String {
        let error = "<error type='cancel'><\(condition) xmlns='\(Namespace.stanzaErrors)'/></error>"
        return "<iq type='error' id='\(id ?? "")'>\(error)</iq>"
    }

    // MARK: Ends

    func unexpected(_ number: Int) { end(number, with: "not-authorized") }

    func end(_ number: Int, with condition: String, _ more: String = "") {
        guard let connection = connections[number] else { return }
        forgetSession(of: connection)
        connection.send(Self.streamError(condition, more))
        connection.channel.close()
    }

    /// Says what a test wants said at a moment.
    ///
    /// - Returns: Whether it did; the stream is over then.
    func interrupt(_ moment: ServerBehaviour.Moment, _ number: Int, before start: String = "") -> Bool {
        guard let interruption = behaviour.interruption, interruption.moment == moment,
            interruption.times.map({ $0 > 0 }) ?? true
        else { return false }
        behaviour.interruption?.times = interruption.times.map { $0 - 1 }
        connections[number]?.send(start + interruption.xml)
        connections[number]?.channel.close()
        return true
    }
}
