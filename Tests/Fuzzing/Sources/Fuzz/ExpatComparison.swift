import XMPPFuzzing

/// Compares our reader with Expat: the same events up to the same fault, where our limits allow it.
///
/// - Parameter input: What stands behind a stream's header; behind a NUL it is the whole stream.
/// - Returns: The difference; nil where there is none.
func differsFromExpat(_ input: [UInt8]) -> String? {
    let isWhole = input.first == 0
    var body = isWhole ? Array(input.dropFirst()) : Array(streamHeader.utf8) + input
    // XMPP is XML 1.0 (RFC 6120 section 11.1), and our reader takes no other; Expat takes any version.
    if isWhole, body.starts(with: "<?xml".utf8) {
        guard isVersion1(body) else { return nil }
    } else if isWhole {
        // libxml2 holds the first four bytes back.
        body = Array("    ".utf8) + body
    }
    guard let fault = difference(body) else { return nil }
    // Expat knows the names of XML's fourth edition, libxml2 those of the fifth, which are more: with another letter in
    // place of each that is not ASCII both must agree.
    guard !body.allSatisfy({ $0 < 0x80 }) else { return fault }
    var plain = String.UnicodeScalarView()
    // Nothing is read behind bytes that are not UTF-8.
    for scalar in String(decoding: body, as: UTF8.self).unicodeScalars.prefix(while: { $0 != "\u{FFFD}" }) {
        plain.append(scalar.isASCII ? scalar : "\u{E9}")
    }
    return difference(Array(String(plain).utf8)) == nil ? nil : fault
}

private func isVersion1(_ body: [UInt8]) -> Bool {
    ["'", "\""].contains { quote in body.dropFirst(6).starts(with: "version=\(quote)1.0\(quote)".utf8) }
}

private func difference(_ body: [UInt8]) -> String? {
    // The end makes both come to a decision about all that is in front of it.
    let bytes = body + Array("<probe/>\u{1}".utf8)
    var ours = streamEvents(bytes, isLoggedIn: true)
    let reader = ExpatReader(bytes)
    let theirs = reader.events
    var condition = ""
    if let last = ours.last, last.hasPrefix("failed ") {
        condition = String(last.dropFirst(7))
        ours.removeLast()
    }
    // A header whose namespace is no URI (`a|b`) ends the stream as a bad format; Expat takes anything for a namespace.
    let isStricter = ["restricted-xml", "policy-violation", "unsupported-encoding", "bad-format"].contains(condition)
    let isSame = zip(ours, theirs).allSatisfy { mine, other in
        mine == "discarded" ? other.hasPrefix("element ") : mine.utf8.elementsEqual(other.utf8)
    }
    // Nobody looks at whether names fit in what is skipped: from there on Expat may find a fault where we find none.
    let isSkipped = reader.hasFailed && ours.firstIndex(of: "discarded").map { $0 <= theirs.count } ?? false
    if isSame, ours.count == theirs.count || (ours.count < theirs.count ? isStricter : isSkipped) { return nil }
    return "ours: \(ours) \(condition)\nExpat: \(theirs)"
}
