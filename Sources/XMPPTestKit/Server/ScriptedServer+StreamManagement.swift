public import XMPPCore
import XMPPTransport

/// Stream management (XEP-0198).
extension ScriptedServer {
    /// An element of stream management on a bound stream.
    func manage(_ element: Element, _ number: Int) {
        guard let connection = connections[number] else { return }
        switch element.name {
        case "enable":
            connection.send(enable(element, number))
        case "r":
            guard let id = connection.session, let session = sessions[id] else {
                return end(number, with: "unsupported-stanza-type")
            }
            guard behaviour.streamManagement?.acknowledges == true else { return }
            connection.send("<a xmlns='\(Names.streamManagement)' h='\(session.inbound)'/>")
        case "a":
            guard let id = connection.session, let h = element[attribute: "h"].flatMap(UInt32.init) else { return }
            if sessions[id]?.acknowledge(h) == false { return handledTooHigh(h, id, number) }
        default:
            end(number, with: "unsupported-stanza-type")
        }
    }

    private func handledTooHigh(_ h: UInt32, _ id: String, _ number: Int) {
        let sent = sessions[id]?.outbound ?? 0
        end(
            number, with: "undefined-condition",
            "<handled-count-too-high xmlns='\(Names.streamManagement)' h='\(h)' send-count='\(sent)'/>")
    }

    /// Turns it on.
    ///
    /// - Returns: The answer.
    func enable(_ element: Element, _ number: Int) -> String {
        guard let setting = behaviour.streamManagement, let jid = connections[number]?.jid,
            connections[number]?.session == nil
        else { return Self.failed("unexpected-request") }
        if let refusal = setting.refusal { return Self.failed(refusal) }
        lastSession += 1
        let id = "session-\(lastSession)"
        let wants = ["true", "1"].contains(element[attribute: "resume"] ?? "")
        let isResumable = wants && setting.allowsResumption
        sessions[id] = ServerSession(id: id, jid: jid, connection: number, isResumable: isResumable)
        connections[number]?.session = id
        var enabled = Element("enabled", namespace: Names.streamManagement)
        if isResumable {
            enabled[attribute: "resume"] = "true"
            enabled[attribute: "id"] = id
            enabled[attribute: "max"] = setting.maximum.map(String.init)
            enabled[attribute: "location"] = setting.location
        }
        return String(decoding: enabled.serialized(inside: Namespace.client), as: UTF8.self)
    }

    func resumeBehindLogin(_ element: Element, _ jid: BareJID, _ number: Int) {
        if interrupt(.binding, number) { return }
        guard behaviour.silentFrom != .bind else { return }
        let answer = resume(element, jid, number)
        connections[number]?.send(answer)
        if connections[number]?.session != nil { resendUnacknowledged(number) }
    }

    /// Takes a session up again, if it is there.
    ///
    /// - Returns: The answer; the connection has the session if it went well.
    func resume(_ element: Element, _ jid: BareJID, _ number: Int) -> String {
        guard let id = element[attribute: "previd"], let h = element[attribute: "h"].flatMap(UInt32.init) else {
            return Self.failed("bad-request")
        }
        if let refusal = behaviour.streamManagement?.resumptionRefusal {
            if let session = sessions[id] {
                if let old = session.connection { connections[old]?.session = nil }
                lostSessions[id] = session.inbound
                sessions[id] = nil
                if session.connection == nil { accounts[jid]?.isAvailable = false }
            }
            return Self.failed(refusal.condition, handled: refusal.handled)
        }
        guard behaviour.streamManagement?.allowsResumption == true, var session = sessions[id], session.isResumable,
            session.jid.bare == jid
        else {
            let tells = behaviour.streamManagement?.tellsCountOfLostSessions == true
            return Self.failed("item-not-found", handled: tells ? lostSessions[id].map(String.init) : nil)
        }
        guard session.acknowledge(h) else {
            handledTooHigh(h, id, number)
            return ""
        }
        if let old = session.connection {
            // The link that the client has given up (XEP-0198 section 5).
            connections[old]?.session = nil
            end(old, with: "conflict")
        }
        session.connection = number
        sessions[id] = session
        connections[number]?.session = id
        connections[number]?.jid = session.jid
        connections[number]?.stage = .bound(jid)
        accounts[jid]?.connection = number
        events.record(.resumed(jid, connection: number))
        return "<resumed xmlns='\(Names.streamManagement)' previd='\(id)' h='\(session.inbound)'/>"
    }

    func resendUnacknowledged(_ number: Int) {
        guard let id = connections[number]?.session, let session = sessions[id] else { return }
        connections[number]?.send(Array(session.unacknowledged.joined()))
    }

    private static func failed(_ condition: String?, handled: String? = nil) -> String {
        let count = handled.map { " h='\($0)'" } ?? ""
        let error = condition.map { "<\($0) xmlns='\(Namespace.stanzaErrors)'/>" } ?? ""
        return "<failed xmlns='\(Names.streamManagement)'\(count)>\(error)</failed>"
    }

    // MARK: Sessions and their links

    /// Sends stanzas on a stream in one write, counting them.
    func transmit(_ stanzas: [Element], on number: Int) {
        guard let connection = connections[number] else { return }
        var bytes: [UInt8] = []
        for stanza in stanzas {
            let text = stanza.serialized(inside: Namespace.client)
            bytes += text
            guard let id = connection.session else { continue }
            sessions[id]?.unacknowledged.append(text)
            if behaviour.streamManagement?.asksForAcknowledgements == true {
                bytes += Array("<r xmlns='\(Names.streamManagement)'/>".utf8)
            }
        }
        connection.send(bytes)
    }

    /// Sends a stanza to an account: over its link, or to its session for later.
    func deliver(_ stanza: Element, to jid: BareJID) {
        if let number = accounts[jid]?.connection {
            transmit([stanza], on: number)
        } else if let id = detachedSession(of: jid) {
            sessions[id]?.unacknowledged.append(stanza.serialized(inside: Namespace.client))
        }
    }

    private func detachedSession(of jid: BareJID) -> String? {
        sessions.values.first { $0.connection == nil && $0.jid.bare == jid }?.id
    }

    /// The link of a session is gone.
    ///
    /// - Returns: Whether the session waits to be resumed.
    func detach(_ connection: ServerConnection) -> Bool {
        guard let id = connection.session else { return false }
        sessions[id]?.connection = nil
        guard sessions[id]?.isResumable == true else {
            sessions[id] = nil
            return false
        }
        return true
    }

    func forgetSession(of connection: ServerConnection) {
        connections[connection.number]?.session = nil
        guard let id = connection.session, let session = sessions.removeValue(forKey: id) else { return }
        lostSessions[id] = session.inbound
    }

    /// A stanza of a client was taken.
    func counted(_ element: Element, _ number: Int) {
        guard let id = connections[number]?.session, Stanza(element) != nil else { return }
        sessions[id]?.inbound &+= 1
    }
}

extension ScriptedServer {
    /// Lets the sessions that wait to be resumed time out.
    public func expireSessions(of jid: BareJID) {
        for session in sessions.values where session.jid.bare == jid && session.connection == nil {
            sessions[session.id] = nil
            lostSessions[session.id] = session.inbound
            accounts[jid]?.isAvailable = false
        }
    }

    /// Keeps a session to be resumed, as if it had been there before: with its own id and counts.
    ///
    /// - Parameters:
    ///   - id: What the client resumes it by.
    ///   - jid: The full address that was bound.
    ///   - inbound: Stanzas of the client that were handled, modulo 2^32.
    ///   - acknowledged: Stanzas of ours that the client has acknowledged, modulo 2^32.
    public func keepSession(_ id: String, of jid: JID, inbound: UInt32 = 0, acknowledged: UInt32 = 0) {
        var session = ServerSession(id: id, jid: jid, connection: nil, isResumable: true)
        session.inbound = inbound
        session.acknowledged = acknowledged
        sessions[id] = session
        accounts[jid.bare]?.isAvailable = true
    }

    /// Asks the client of an account how much it has handled.
    public func requestAcknowledgement(of jid: BareJID) {
        connection(of: jid)?.send("<r xmlns='\(Names.streamManagement)'/>")
    }

    /// The stanzas that an account's session has sent and the server has handled, modulo 2^32; nil without stream
    /// management.
    public func handledStanzas(of jid: BareJID) -> UInt32? { session(of: jid)?.inbound }

    /// How many stanzas of ours the client of an account has not acknowledged; nil without stream management.
    public func unacknowledgedStanzas(of jid: BareJID) -> Int? { session(of: jid)?.unacknowledged.count }

    private func session(of jid: BareJID) -> ServerSession? {
        sessions.values.first { $0.jid.bare == jid && $0.connection != nil }
            ?? sessions.values.first { $0.jid.bare == jid }
    }
}
