import XMPPCore
import XMPPSession
import XMPPTransport

extension IQ {
    /// The longest address: three parts of 1023 bytes (RFC 7622 section 3.1).
    private static let addressBound = 3071

    /// The one answer to a request whose sender is no address, back to where that was written: what any stranger gets
    /// (`StanzaRouter`), whatever is asked, so that it tells nobody that somebody is here (RFC 6120 section 8.3.3.19).
    ///
    /// Nil where it needs none, or where nothing stands there that a server could take for an address.
    fileprivate var refusalOfNameless: Element? {
        guard !isAnswer, let from = element[attribute: "from"], (1...Self.addressBound).contains(from.utf8.count) else {
            return nil
        }
        return StanzaError.reply(to: self, condition: .serviceUnavailable)
    }
}

/// What arrives after the login.
extension ClientConnection {
    func received(_ bytes: [UInt8]) {
        guard phase != .ended, phase != .idle else { return }
        keepalive.heard(at: loop.turnTime)
        var rest = bytes[...]
        // More is let in from the element on that ends the login, not only from the next read on. It ends with a tag.
        while phase == .negotiating, negotiation.maySoonRaiseLimits, let end = rest.firstIndex(of: UInt8(ascii: ">")) {
            let piece = rest[...end]
            rest = rest[(end + 1)...]
            guard read(Array(piece)) else { return }
        }
        if !rest.isEmpty {
            guard read(rest.count == bytes.count ? bytes : Array(rest)) else { return }
        }
        if phase == .online {
            noteRest(of: bytes, unconsumed: parser.unconsumedBytes)
            noteSize(bytes.count, rest: parser.unconsumedBytes)
            readEnded()
        }
    }

    /// - Returns: Whether what is behind it in the same read still concerns this stream.
    private func read(_ bytes: [UInt8]) -> Bool {
        let (reader, attempt) = (parser, attempt)
        for event in reader.feed(bytes) {
            switch phase {
            case .negotiating: perform(negotiation.received(event))
            case .online, .closing: streamReported(event)
            case .idle, .ended: return false
            }
            // Sent on to another host: the rest of this stream concerns nobody.
            guard attempt == self.attempt else { return false }
        }
        return true
    }

    /// Whether there is more than white space behind the last whole element: that begins no stanza (RFC 6120 section
    /// 4.6.1).
    private func noteRest(of bytes: [UInt8], unconsumed: Int) {
        if unconsumed <= bytes.count { stanzaBegan = nil }
        guard stanzaBegan == nil, bytes.suffix(unconsumed).contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) })
        else { return }
        stanzaBegan = loop.time.now
    }

    private func readEnded() {
        let inbound = management?.inbound ?? 0
        handler(.readEnded(inbound: inbound))
        guard phase == .online else { return }
        if settings.commitsByItself { committed(inbound: inbound) }
        if let answer = management?.readEnded() { write(answer) }
        expectationChanged()
        stallDeadline = stanzaBegan.map { began in
            // A byte now and then is no progress.
            let whole = settings.timeouts.stanza + .seconds(parser.unconsumedBytes / Self.slowestBytesPerSecond)
            return min(loop.time.now + settings.timeouts.stall, began + whole)
        }
        if let stallDeadline { arm(by: stallDeadline) }
    }

    private func streamReported(_ event: XMLStreamEvent) {
        switch event {
        case .element(let element):
            arrived(element)
        case .discarded(let head):
            discarded(head)
        case .closed:
            if phase == .online { write(Self.closingTag) }
            let stopping = phase == .closing
            phase = .closing
            finish(stopping ? .stopped : .lost("the server closed the stream"))
        case .failed(let error):
            write(error.element.serialized(inside: Namespace.client))
            finish(.session(.malformedStream(error)))
        case .opened:
            finish(.session(.streamError(StreamError(.notWellFormed))))
        }
    }

    private func arrived(_ element: Element) {
        if let stanza = Stanza(element) {
            management?.received()
            stanzaArrived(stanza)
        } else if let error = StreamError(element) {
            sessionFailed(.streamError(error))
        } else if sameBytes(element.namespace, Namespace.streamManagement) {
            // Without stream management it concerns nobody (B062).
            guard phase == .online else { return }
            for action in management?.received(element, at: loop.time.now) ?? [] { perform(action) }
        } else if element.matches("features", Namespace.streams), phase == .online {
            // Behind the `<success/>` of SASL2 (XEP-0388 section 2.6): they may offer what the login could not enable.
            guard !looked(at: element) else { return }
            if management != nil { identity?.features = element }
            identity?.streamFeatures = StreamFeatures(element)
            enableManagement(element)
        }
        // What else is no stanza belongs to features that we did not ask for (RFC 6120 section 4.9.3.24 leaves it to us).
    }

    private func stanzaArrived(_ stanza: Stanza) {
        if case .iq(let iq) = stanza, iq.isAnswer, let match = requests?.received(iq) {
            switch match.answer {
            case .result(let payload): match.waiter(.result(payload))
            case .error(let error): match.waiter(.error(error))
            }
            return
        }
        guard phase == .online else { return }
        guard !stanza.fromIsInvalid else { return namelessArrived(stanza) }
        handler(.received(stanza))
    }

    /// Its sender is no address of RFC 7622: nobody that we could name.
    ///
    /// Servers that still prepare by nodeprep (RFC 6122) have such accounts. A request is answered all the same.
    private func namelessArrived(_ stanza: Stanza) {
        observe(.senderInvalid(stanza.element.name))
        guard phase == .online else { return }
        if case .iq(let iq) = stanza, let refusal = iq.refusalOfNameless { send([refusal]) }
        handler(.nameless(stanza))
    }

    /// A stanza over the limits of the parser arrived: its head, without what was in it.
    ///
    /// It was somebody's all the same: a request, also one to subscribe, is handed over; the rest is only counted.
    private func discarded(_ head: Element) {
        guard let stanza = Stanza(head) else { return }
        management?.received()
        observe(.discarded(head.name))
        guard !stanza.fromIsInvalid else { return namelessArrived(stanza) }
        switch stanza {
        case .iq(let iq):
            if let match = requests?.received(iq) {
                match.waiter(.error(StanzaError(.notAcceptable)))
            } else if phase == .online, !iq.isAnswer {
                handler(.overLimits(iq))
            }
        case .presence(let presence) where presence.type == .subscribe:
            if phase == .online { handler(.received(stanza)) }
        case .presence, .message:
            break
        }
    }

    // MARK: Stream management

    func perform(_ action: StreamManagement.Action) {
        guard phase == .online else { return }
        switch action {
        case .send(let bytes):
            write(bytes)
        case .started(let start):
            observe(.managed(start))
            if let due = management?.requestDue { arm(by: due) }
        case .refused:
            observe(.unmanaged)
            acknowledgeByPing()
        case .acknowledged(let number):
            handler(.acknowledged(through: number))
        case .ignored(let what):
            observe(.acknowledgementIgnored(what))
        case .fail(let error, let farewell):
            observe(.acknowledgementIgnored(error.description))
            write(farewell)
            finish(.session(error))
        }
    }

    /// The server refused what it had offered: what has a number already is acknowledged by the answer to a ping behind it.
    ///
    /// The server handles stanzas in order (RFC 6120 section 10.1).
    private func acknowledgeByPing() {
        guard let number = management?.outbound, number > 0 else { return }
        let ping = request(.get, to: JID(settings.account.server), Element("ping", namespace: Namespace.ping)) {
            reply in
            if case .noReply = reply { return }
            self.handler(.acknowledged(through: number))
        }
        send([ping].compactMap { $0 })
    }
}
