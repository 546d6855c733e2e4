import XMPPCore

/// The bytes are what stands between a header and the end of a stream.
func fuzzStanza(_ input: [UInt8]) -> String? {
    let parser = XMLStreamParser(limits: .normal)
    for event in parser.feed(Array(streamHeader.utf8) + input) {
        switch event {
        case .element(let element):
            if let fault = written(element) ?? decoded(element) { return fault }
        case .discarded(let element):
            if !element.children.isEmpty { return "what was skipped has children" }
            if let fault = decoded(element) { return fault }
        case .opened, .closed, .failed: break
        }
    }
    return nil
}

/// Reading undoes writing.
private func written(_ element: Element) -> String? {
    let bytes = element.serialized(inside: Namespace.client)
    // Escapes make it longer: up to six times. And each attribute with a prefix is written with a declaration.
    let normal = XMLLimits.normal
    let limits = XMLLimits(
        stanzaBytes: 6 * normal.stanzaBytes, attributes: 3 * normal.attributes,
        namespaces: 2 * normal.attributes * normal.depth)
    let again = XMLStreamParser(limits: limits).feed(Array(streamHeader.utf8) + bytes)
    guard again.count == 2, case .element(let copy) = again[1] else { return "written and not read: \(again)" }
    return words(copy) == words(element) ? nil : "written \(words(element)) and read \(words(copy))"
}

private func decoded(_ element: Element) -> String? {
    if let error = StreamError(element), StreamError(error.element) != error { return "a stream error changes" }
    guard let stanza = Stanza(element) else { return nil }
    if stanza.fromIsInvalid != (element[attribute: "from"] != nil && stanza.from == nil) {
        return "an invalid sender is taken for none"
    }
    switch stanza {
    case .presence(let presence):
        _ = (presence.status, presence.nickname, presence.id)
        if presence.type.attribute.map({ Array($0.utf8) }) != element[attribute: "type"].map({ Array($0.utf8) }) {
            return "a presence's type changes"
        }
    case .message(let message):
        _ = (message.body, message.type.attribute)
    case .iq(let iq):
        if (iq.error != nil) != (iq.type == .error) { return "an error without an error" }
        let answer = StanzaError.reply(to: iq, condition: .serviceUnavailable)
        guard let reply = IQ(answer), reply.error?.condition == .serviceUnavailable, reply.id == iq.id else {
            return "an answer that cannot be read"
        }
        if let fault = written(answer) { return fault }
    }
    return nil
}
