import XMPPCore
import XMPPTransport

/// What SASL2 does with the login: resuming, binding and tokens (XEP-0388, XEP-0198 section 9, XEP-0386, XEP-0484).
extension ScriptedServer {
    func succeed2(_ jid: BareJID, _ data: [UInt8]?, _ exchange: ServerExchange, _ number: Int) {
        guard let connection = connections[number], let sasl2 = behaviour.sasl2 else { return }
        guard sasl2.tasks.isEmpty else {
            let tasks = sasl2.tasks.map { "<task>\($0)</task>" }.joined()
            connections[number]?.stage = .secured
            return connection.send("<continue xmlns='\(Names.sasl2)'><tasks>\(tasks)</tasks></continue>")
        }
        let request = exchange.request
        var parts: [String] = []
        if let data { parts.append("<additional-data>\(Base64.encode(data))</additional-data>") }
        var name = jid.description
        var isResumed = false
        if let resume = request.first("resume", Names.streamManagement), hasInlineStreamManagement {
            let answer = self.resume(resume, jid, number)
            isResumed = connections[number]?.session != nil
            parts.append(answer)
        }
        if isResumed {
            name = connections[number]?.jid?.description ?? name
        } else if let bind = request.first("bind", Names.bind2), sasl2.offersBind, behaviour.silentFrom != .bind {
            let (answer, full) = self.bind(bind, jid, request, number)
            parts.append(answer)
            name = full ?? name
        }
        if let token = newToken(jid, exchange) {
            parts.append(
                "<token xmlns='\(Names.fast)' expiry='\(sasl2.tokenExpiry)' token='\(token.text)'/>")
        }
        let identifier = Element(
            "authorization-identifier", namespace: Names.sasl2, children: [.text(name)])
        parts.append(String(decoding: identifier.serialized(inside: Names.sasl2), as: UTF8.self))
        if sasl2.reversesSuccess { parts.reverse() }
        var text = "<success xmlns='\(Names.sasl2)'>\(parts.joined())</success>" + behaviour.whiteSpace
        // The features follow at once, but not behind a resumption (XEP-0198 section 9.2.2).
        if !isResumed && sasl2.sendsFeatures { text += features(number) }
        connection.send(text)
        if isResumed { resendUnacknowledged(number) }
    }

    private var hasInlineStreamManagement: Bool {
        behaviour.sasl2?.offersStreamManagement == true && behaviour.streamManagement != nil
    }

    private func bind(
        _ bind: Element, _ jid: BareJID, _ request: Element, _ number: Int
    ) -> (answer: String, full: String?) {
        if behaviour.bindRefusal != nil { return ("<failed xmlns='\(Names.bind2)'/>", nil) }
        let tag = bind.first("tag", Names.bind2)?.text ?? "made-by-server"
        // The same for the same user agent, as the XEP recommends: a client that comes again replaces itself.
        let agent = Self.agent(of: request).map { "\($0.prefix(8))" } ?? "\(number)"
        guard let full = begin(jid, resource: "\(tag)~\(agent)", number) else {
            return ("<failed xmlns='\(Names.bind2)'/>", nil)
        }
        var inside = ""
        if let enable = bind.first("enable", Names.streamManagement), hasInlineStreamManagement {
            inside += self.enable(enable, number)
        }
        return ("<bound xmlns='\(Names.bind2)'>\(inside)</bound>", full.description)
    }

    private func newToken(_ jid: BareJID, _ exchange: ServerExchange) -> ServerToken? {
        guard let sasl2 = behaviour.sasl2, let agent = Self.agent(of: exchange.request) else { return nil }
        let mechanism: String
        if let wanted = exchange.request.first("request-token", Names.fast)?[attribute: "mechanism"] {
            mechanism = wanted
        } else if exchange.mechanism.hasPrefix("HT-"), sasl2.tokens == .rotated {
            mechanism = exchange.mechanism
        } else {
            return nil
        }
        guard sasl2.tokens != .withheld, sasl2.tokenMechanisms.contains(mechanism) else { return nil }
        lastToken += 1
        let token = ServerToken(mechanism: mechanism, text: "secret-token:fast-\(lastToken)", agent: agent)
        accounts[jid]?.tokens.append(token)
        return token
    }
}
