import XMPPFuzzing

/// Compares our reader with Expat: the same events up to the same fault, where our limits allow it.
///
/// - Parameter input: What stands behind a stream's header; behind a NUL it is the whole stream.
/// - Returns: The difference; nil where there is none.
func differsFromExpat(_ input: [UInt8]) -> String? {
    let isWhole = input.first == 0
    let body = isWhole ? Array(input.dropFirst()) : Array(streamHeader.utf8) + input
    guard let fault = difference(body) else { return nil }
    // Expat knows the names of XML's fourth edition, libxml2 those of the fifth, which are more: with another letter in
    // place of each that is not ASCII both must agree.
    guard let text = String(validating: body, as: UTF8.self), !text.utf8.allSatisfy({ $0 < 0x80 }) else { return fault }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { plain.append(scalar.isASCII ? scalar : "\u{E9}") }
    return difference(Array(String(plain).utf8)) == nil ? nil : fault
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
    let isStricter = ["restricted-xml", "policy-violation", "unsupported-encoding", "bad-format"].contains(condition)
    let isSame =
        ours.count <= theirs.count
        && zip(ours, theirs).allSatisfy { mine, other in
            mine == "discarded" ? other.hasPrefix("element ") : mine.utf8.elementsEqual(other.utf8)
        }
    if isSame, isStricter || ours.count == theirs.count { return nil }
    return "ours: \(ours) \(condition)\nExpat: \(theirs)"
}
