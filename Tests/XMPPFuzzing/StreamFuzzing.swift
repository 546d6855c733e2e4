import XMPPCore

/// A stream's events in words, each element as one text that has all of it.
///
/// - Parameters:
///   - bytes: What the server sends.
///   - isLoggedIn: Whether the limits are those after the login.
///   - cuts: The sizes of the pieces, by turns; all in one where there are none.
/// - Returns: `opened …`, `element …`, `discarded`, `closed`, or `failed` and the error's name.
public func streamEvents(_ bytes: [UInt8], isLoggedIn: Bool, cuts: [UInt8] = []) -> [String] {
    streamOutcomes(bytes, isLoggedIn: isLoggedIn, cuts: [cuts])[0].events
}

/// What a stream's events were, in words, and what its reader knows behind the last of them.
private struct StreamOutcome {
    var events: [String]
    var unconsumed: Int
    var isInside: Bool
    var discarded: Int

    var isOver: Bool { events.last.map { $0 == "closed" || $0.hasPrefix("failed") } ?? false }
    var counters: [Int] { [unconsumed, discarded] }
}

/// The same of several streams that take turns with the contexts of one pool, each with its own cuts.
private func streamOutcomes(_ bytes: [UInt8], isLoggedIn: Bool, cuts: [[UInt8]]) -> [StreamOutcome] {
    let pool = XMLContextPool()
    var streams = cuts.map { cuts in
        (
            parser: XMLStreamParser(limits: isLoggedIn ? .normal : .beforeLogin, pool: pool), cuts: cuts,
            rest: bytes[...], turn: 0, events: [XMLStreamEvent]()
        )
    }
    while streams.contains(where: { !$0.rest.isEmpty }) {
        for index in streams.indices where !streams[index].rest.isEmpty {
            let (cuts, turn) = (streams[index].cuts, streams[index].turn)
            let size = cuts.isEmpty ? bytes.count : max(1, Int(cuts[turn % cuts.count]))
            streams[index].turn += 1
            streams[index].events += streams[index].parser.feed(Array(streams[index].rest.prefix(size)))
            streams[index].rest = streams[index].rest.dropFirst(size)
        }
    }
    return streams.map { stream in
        StreamOutcome(
            events: stream.events.map(words), unconsumed: stream.parser.unconsumedBytes,
            isInside: stream.parser.isInsideStanza, discarded: stream.parser.discardedStanzas)
    }
}

private func words(_ event: XMLStreamEvent) -> String {
    switch event {
    case .opened(let element): "opened " + words(element)
    case .element(let element): "element " + words(element)
    case .discarded: "discarded"
    case .closed: "closed"
    case .failed(let error): "failed " + error.condition.name
    }
}

/// The bytes in front of which the fuzzed ones stand: most faults are behind a header.
public let streamHeader =
    "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"

/// The first byte says how the rest is read.
func fuzzStream(_ input: [UInt8]) -> String? {
    guard let mode = input.first else { return nil }
    let isLoggedIn = mode & 1 != 0
    let header = mode & 2 != 0 ? Array(streamHeader.utf8) : []
    // In pieces of three bytes no stanza is whole, so that none is read as a plain one.
    let small: [UInt8] = [input.count <= 150 ? 1 : 3]
    let states = streamOutcomes(header + input.dropFirst(), isLoggedIn: isLoggedIn, cuts: [[], small])
    if !states[0].isOver, !states[1].isOver {
        if states[0].counters != states[1].counters {
            return "other counters: \(states[0].counters), in pieces \(states[1].counters)"
        }
        // White space written as a reference waits in libxml2 or does not, as the pieces fall.
        if !input.contains(UInt8(ascii: "&")), states[0].isInside != states[1].isInside {
            return "in a stanza: \(states[0].isInside), in pieces \(states[1].isInside)"
        }
    }
    // The end makes the reader come to a decision about all that is in front of it.
    let bytes = header + input.dropFirst() + Array("<probe/>\u{1}".utf8)
    let whole = streamEvents(bytes, isLoggedIn: isLoggedIn)
    // Where there are two faults, the pieces decide which is seen first.
    let fates = { (events: [String]) in events.map { $0.hasPrefix("failed") ? "failed" : $0 } }
    let cuts: [[UInt8]] = [small, [mode | 1, 2, 3, 255], [mode | 1, 3, 17]]
    for (index, pieces) in streamOutcomes(bytes, isLoggedIn: isLoggedIn, cuts: cuts).enumerated()
    where fates(pieces.events) != fates(whole) {
        return "in pieces of \(cuts[index]) other events: \(pieces.events) and not \(whole)"
    }
    for (index, event) in whole.enumerated() {
        if index > 0, event.hasPrefix("opened") { return "a second header" }
        if index == 0, event.hasPrefix("element") || event == "discarded" { return "a stanza before the header" }
        if !isLoggedIn, event == "discarded" { return "skipped before the login" }
        if event.hasPrefix("failed") || event == "closed", index + 1 < whole.count { return "something behind the end" }
    }
    return nil
}

/// All of an element, so that two texts are equal only where the elements are.
func words(_ element: Element) -> String {
    var text = "<" + quoted(element.namespace) + quoted(element.name)
    for attribute in element.attributes {
        text += " " + quoted(attribute.namespace ?? "") + quoted(attribute.name) + "=" + quoted(attribute.value)
    }
    for child in element.children {
        switch child {
        case .element(let element): text += words(element)
        case .text(let part): text += quoted(part)
        }
    }
    return text + ">"
}

private func quoted(_ text: String) -> String {
    "\(text.utf8.count):\(text)"
}
