import XMPPCore
import XMPPTransport

/// The logins: SASL as in RFC 6120 section 6 and as in XEP-0388.
extension ScriptedServer {
    /// What is offered before the login.
    var loginFeatures: String {
        func list(_ names: [String]) -> String { names.map { "<mechanism>\($0)</mechanism>" }.joined() }
        var text = ""
        if !behaviour.mechanisms.isEmpty {
            text += "<mechanisms xmlns='\(Namespace.sasl)'>\(list(behaviour.mechanisms))</mechanisms>"
        }
        if let sasl2 = behaviour.sasl2 {
            text += "<authentication xmlns='\(Names.sasl2)'>\(list(sasl2.mechanisms ?? behaviour.mechanisms))"
            text += "\(inlineFeatures(sasl2))</authentication>"
        }
        if let types = behaviour.announcedBindings {
            let elements = types.map { "<channel-binding type='\($0)'/>" }.joined()
            text += "<sasl-channel-binding xmlns='\(Names.channelBinding)'>\(elements)</sasl-channel-binding>"
        }
        return text
    }

    private func inlineFeatures(_ sasl2: ServerBehaviour.SASL2) -> String {
        var text = ""
        let hasStreamManagement = sasl2.offersStreamManagement && behaviour.streamManagement != nil
        if sasl2.offersBind {
            let feature = hasStreamManagement ? "<feature var='\(Names.streamManagement)'/>" : ""
            text += "<bind xmlns='\(Names.bind2)'><inline>\(feature)</inline></bind>"
        }
        if hasStreamManagement { text += "<sm xmlns='\(Names.streamManagement)'/>" }
        if !sasl2.tokenMechanisms.isEmpty {
            let names = sasl2.tokenMechanisms.map { "<mechanism>\($0)</mechanism>" }.joined()
            text += "<fast xmlns='\(Names.fast)'>\(names)</fast>"
        }
        return text.isEmpty ? "" : "<inline>\(text)</inline>"
    }

    // MARK: The exchange

    func authenticate(_ request: Element, _ profile: ServerExchange.Profile, _ number: Int) {
        guard let connection = connections[number] else { return }
        if interrupt(.authentication, number) { return }
        guard behaviour.silentFrom != .challenge else { return }
        connections[number]?.attempts += 1
        var exchange = ServerExchange(
            profile: profile, mechanism: request[attribute: "mechanism"] ?? "", request: request)
        let initial = initialResponse(exchange)
        let offered = profile == .sasl ? behaviour.mechanisms : behaviour.sasl2?.mechanisms ?? behaviour.mechanisms
        if case .beforeChallenge = behaviour.proof {
            return connection.send(
                profile == .sasl
                    ? "<success xmlns='\(Namespace.sasl)'/>"
                    : "<success xmlns='\(Names.sasl2)'><authorization-identifier>\(connection.from ?? "")"
                        + "</authorization-identifier></success>")
        }
        do throws(SASLRefusal) {
            switch exchange.mechanism {
            case "PLAIN" where offered.contains("PLAIN"):
                succeed(try plain(initial, connection), nil, exchange, number)
            case "EXTERNAL" where offered.contains("EXTERNAL"):
                succeed(try external(initial), nil, exchange, number)
            case let name where name.hasPrefix("HT-") && profile == .sasl2:
                let (jid, proof) = try token(initial, exchange, connection)
                succeed(jid, proof, exchange, number)
            default:
                let scram = try ServerSCRAM(
                    mechanism: exchange.mechanism, clientFirst: initial ?? [], setting(offered, exchange, connection)
                ) { user in
                    Self.jid(user, connection.domain).flatMap { accounts[$0]?.password }
                }
                exchange.scram = scram
                connections[number]?.stage = .exchanging(exchange)
                challenge(scram.challenge, exchange, connection)
            }
        } catch {
            refuse(error.condition, exchange, nil, number)
        }
    }

    private func setting(
        _ offered: [String], _ exchange: ServerExchange, _ connection: ServerConnection
    ) -> ServerSCRAM.Setting {
        var setting = ServerSCRAM.Setting(offered: offered)
        setting.iterations = behaviour.iterations
        setting.refusesFlagY = behaviour.refusesFlagY
        setting.bindings = connection.bindings
        if behaviour.confusesUnique, connection.tls?.isResumed == true {
            setting.bindings.data["tls-unique"] = [UInt8](repeating: 0, count: 12)
        }
        if let accepted = behaviour.acceptedBindings {
            setting.bindings.data = setting.bindings.data.filter { accepted.contains($0.key) }
        }
        if let algorithm = ServerSCRAM.algorithm(of: exchange.mechanism) {
            let bindings = behaviour.announcedBindings
            let right = ServerSCRAM.offerDigest(algorithm, mechanisms: offered, bindings: bindings)
            let wrong = ServerSCRAM.offerDigest(algorithm, mechanisms: offered + ["X"], bindings: bindings)
            setting.attributes += attribute("h", behaviour.offerDigest, right: right, wrong: wrong)
        }
        let isOld = connection.tls?.versionNumber == 0x0303
        setting.attributes += attribute(
            "t", behaviour.tlsVersion, right: isOld ? "0303" : "0304", wrong: isOld ? "0304" : "0303")
        return setting
    }

    private func attribute(
        _ name: String, _ statement: ServerBehaviour.Statement, right: String, wrong: String
    ) -> String {
        switch statement {
        case .absent: ""
        case .right: ",\(name)=\(right)"
        case .wrong: ",\(name)=\(wrong)"
        case .text(let text): ",\(name)=\(text)"
        }
    }

    func respond(_ element: Element, _ exchange: ServerExchange, _ number: Int) {
        if interrupt(.response, number) { return }
        guard behaviour.silentFrom != .success, let connection = connections[number] else { return }
        if let jid = exchange.proved { return succeed(jid, nil, exchange, number, hasProved: true) }
        let data = element.text == "=" ? [] : Base64.decode(element.text) ?? []
        guard let scram = exchange.scram, let jid = Self.jid(scram.username, connection.domain),
            let account = accounts[jid], account.refusal == nil, let final = scram.final(for: data)
        else {
            let jid = exchange.scram.flatMap { Self.jid($0.username, connection.domain) }
            return refuse(jid.flatMap { accounts[$0]?.refusal } ?? "not-authorized", exchange, jid, number)
        }
        succeed(jid, final, exchange, number)
    }

    private func challenge(_ data: [UInt8], _ exchange: ServerExchange, _ connection: ServerConnection) {
        let text = Base64.encode(data)
        connection.send(
            "<challenge xmlns='\(exchange.namespace)'>\(text)</challenge>" + behaviour.whiteSpace)
    }

    private func initialResponse(_ exchange: ServerExchange) -> [UInt8]? {
        switch exchange.profile {
        case .sasl:
            let text = exchange.request.text
            return text.isEmpty ? nil : text == "=" ? [] : Base64.decode(text)
        case .sasl2:
            return exchange.request.first("initial-response", Names.sasl2).flatMap { Base64.decode($0.text) }
        }
    }

    // MARK: Without challenges

    private func plain(_ initial: [UInt8]?, _ connection: ServerConnection) throws(SASLRefusal) -> BareJID {
        let parts = (initial ?? []).split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, let jid = Self.jid(parts[1], connection.domain), let account = accounts[jid],
            account.password.utf8.elementsEqual(parts[2].utf8)
        else { throw SASLRefusal("not-authorized") }
        if let refusal = account.refusal { throw SASLRefusal(refusal) }
        return jid
    }

    private func external(_ initial: [UInt8]?) throws(SASLRefusal) -> BareJID {
        guard let owner = behaviour.certificateOwner.flatMap({ try? BareJID($0) }), accounts[owner] != nil else {
            throw SASLRefusal("not-authorized")
        }
        let wanted = String(decoding: initial ?? [], as: UTF8.self)
        guard wanted.isEmpty || (try? BareJID(wanted)) == owner else { throw SASLRefusal("invalid-authzid") }
        return owner
    }

    private func token(
        _ initial: [UInt8]?, _ exchange: ServerExchange, _ connection: ServerConnection
    ) throws(SASLRefusal) -> (BareJID, [UInt8]) {
        switch behaviour.sasl2?.tokens {
        case .refused: throw SASLRefusal("not-authorized")
        case .expired: throw SASLRefusal("credentials-expired")
        case .proper, .rotated, .withheld, nil: break
        }
        guard behaviour.sasl2?.tokenMechanisms.contains(exchange.mechanism) == true else {
            throw SASLRefusal("invalid-mechanism")
        }
        let parts = (initial ?? []).split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let fast = exchange.request.first("fast", Names.fast),
            let jid = Self.jid(String(decoding: parts[0], as: UTF8.self), connection.domain),
            let agent = Self.agent(of: exchange.request)
        else { throw SASLRefusal("malformed-request") }
        let tokens = accounts[jid]?.tokens ?? []
        let shown = tokens.firstIndex {
            $0.agent == agent && $0.mechanism == exchange.mechanism
                && $0.proof(of: "Initiator", connection.bindings) == Array(parts[1])
        }
        guard let shown, let proof = tokens[shown].proof(of: "Responder", connection.bindings) else {
            throw SASLRefusal("not-authorized")
        }
        if let refusal = accounts[jid]?.refusal { throw SASLRefusal(refusal) }
        // The tokens before this one are over now that it was used (XEP-0484 section 3.4).
        let used = tokens[shown]
        accounts[jid]?.tokens = tokens.enumerated().filter { $0.offset >= shown || $0.element.agent != agent }
            .map(\.element)
        if fast[attribute: "invalidate"] == "true" {
            accounts[jid]?.tokens.removeAll { $0.text == used.text }
        }
        return (jid, proof)
    }

    // MARK: The end

    private func succeed(
        _ jid: BareJID, _ proof: [UInt8]?, _ exchange: ServerExchange, _ number: Int, hasProved: Bool = false
    ) {
        guard let connection = connections[number], behaviour.silentFrom != .success else { return }
        var data = proof
        if let proof, !hasProved {
            switch behaviour.proof {
            case .proper, .beforeChallenge: break
            case .inChallenge:
                var exchange = exchange
                exchange.proved = jid
                connections[number]?.stage = .exchanging(exchange)
                return challenge(proof, exchange, connection)
            case .absent: data = nil
            case .empty: data = []
            case .wrong: data = Self.spoiled(proof)
            case .errorText: data = Array("e=other-error".utf8)
            }
        }
        connections[number]?.stage = .authenticated(jid)
        events.record(.authenticated(jid, mechanism: exchange.mechanism, connection: number))
        switch exchange.profile {
        case .sasl:
            let text = data.map { $0.isEmpty ? "=" : Base64.encode($0) } ?? ""
            connection.send("<success xmlns='\(Namespace.sasl)'>\(text)</success>" + behaviour.whiteSpace)
            connection.parser.reset()
        case .sasl2:
            succeed2(jid, data, exchange, number)
        }
    }

    func refuse(_ condition: String, _ exchange: ServerExchange, _ jid: BareJID?, _ number: Int) {
        guard let connection = connections[number] else { return }
        if let jid { events.record(.refused(jid)) }
        connections[number]?.stage = .secured
        let isLast = connection.attempts >= behaviour.attempts
        let reason =
            exchange.profile == .sasl ? "<\(condition)/>" : "<\(condition) xmlns='\(Namespace.sasl)'/>"
        connection.send(
            "<failure xmlns='\(exchange.namespace)'>\(reason)</failure>"
                + (isLast ? Self.streamError("policy-violation") : ""))
        if isLast { connection.channel.close() }
    }

    /// A proof with one bit turned over.
    private static func spoiled(_ proof: [UInt8]) -> [UInt8] {
        let text = String(decoding: proof, as: UTF8.self)
        guard text.hasPrefix("v="), var signature = Base64.decode(String(text.dropFirst(2))) else {
            return proof.enumerated().map { $0.offset == 0 ? $0.element ^ 1 : $0.element }
        }
        signature[0] ^= 1
        return Array("v=\(Base64.encode(signature))".utf8)
    }

    static func agent(of request: Element) -> String? {
        request.first("user-agent", Names.sasl2)?[attribute: "id"]
    }

    private static func jid(_ user: String, _ domain: String) -> BareJID? {
        try? BareJID("\(user)@\(domain)")
    }
}
