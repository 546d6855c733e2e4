/// The preparation of the three parts of an address (RFC 7622 section 3).
///
/// Whoever can send a stanza chooses the addresses in it, so that what one costs grows with its length and no faster.
package struct JIDPreparation {
    /// Bytes of a prepared part (RFC 7622 section 3.1).
    static let limit = 1023
    /// Bytes of a part that are looked at at all.
    ///
    /// No part that is longer could have 1023 in the end. What one character of a prepared part was written with is at most
    /// three and a half times as long: fullwidth letters with two accents, 7 bytes, which are one character of 2 (`ǖ`).
    /// Others shrink by a factor of 3 at most (a fullwidth letter 3 bytes to 1, the Kelvin sign too, jamo 9 to 3). A domain
    /// has 253 characters in its A-labels, each of which was at most 10 bytes; characters that are mapped to nothing, such as
    /// soft hyphens, may be as many as fit in.
    static let rawLimit = 4 * limit

    /// What has been asked of libunistring for the characters of the parts until now, and what libidn2 asks for.
    package private(set) var looks = 0

    package init() {}

    /// An address by the rules of all its parts, each character by itself; `PlainAddress` has the short way of most.
    package mutating func address(_ text: String) throws(JIDError) -> JID {
        let bytes = Array(text.utf8)
        let slash = bytes.firstIndex(of: UInt8(ascii: "/"))
        let head = bytes[..<(slash ?? bytes.endIndex)]
        let at = head.firstIndex(of: UInt8(ascii: "@"))
        let local: String? = if let at { try local(Array(head[..<at])) } else { nil }
        let domain = try domain(Array(head[(at.map { $0 + 1 } ?? head.startIndex)...]))
        let resource: String? = if let slash { try resource(Array(bytes[(slash + 1)...])) } else { nil }
        return JID(bare: BareJID(preparedLocal: local, preparedDomain: domain), preparedResource: resource)
    }

    /// The profile UsernameCaseMapped (RFC 8265 section 3.3) without the characters of RFC 7622 section 3.3.1.
    mutating func local(_ bytes: [UInt8]) throws(JIDError) -> String {
        try Self.checkLength(bytes, in: .local)
        guard !bytes.allSatisfy(Self.isPlainLocal) else {
            return try Self.bounded(String(decoding: bytes.map(Self.lowercased), as: UTF8.self), in: .local)
        }
        return try stable(try Self.text(bytes, in: .local), in: .local)
    }

    /// The profile OpaqueString (RFC 8265 section 4.2).
    mutating func resource(_ bytes: [UInt8]) throws(JIDError) -> String {
        try Self.checkLength(bytes, in: .resource)
        guard !bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return try Self.bounded(String(decoding: bytes, as: UTF8.self), in: .resource)
        }
        return try stable(try Self.text(bytes, in: .resource), in: .resource)
    }

    /// A host name in U-labels, an IPv4 address, or an IPv6 address in brackets (RFC 7622 section 3.2).
    mutating func domain(_ bytes: [UInt8]) throws(JIDError) -> String {
        try Self.checkLength(bytes, in: .domain)
        let raw = try Self.text(bytes, in: .domain)
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.count > 2, bytes.last == UInt8(ascii: "]"),
                let address = bytes[1..<(bytes.count - 1)].withUnsafeBufferPointer({ IPv6Address($0) })
            else { throw JIDError(.badDomain, in: .domain) }
            return address.inBrackets
        }
        guard let name = HostName.prepared(raw, &looks) else { throw JIDError(.badDomain, in: .domain) }
        return try Self.bounded(name, in: .domain)
    }

    /// Applies the rules until nothing changes, which RFC 8264 section 7 wants after 3 more times at most.
    private mutating func stable(_ text: String, in part: JIDError.Part) throws(JIDError) -> String {
        var text = try mapped(text, in: part)
        for _ in 0..<3 {
            let again = try mapped(text, in: part)
            if again.utf8.elementsEqual(text.utf8) { return try Self.bounded(text, in: part) }
            text = again
        }
        throw JIDError(.forbiddenCharacter, in: part)
    }

    private mutating func mapped(_ text: String, in part: JIDError.Part) throws(JIDError) -> String {
        let mapped =
            switch part {
            case .local: mappedLocal(text.unicodeScalars)
            case .resource, .domain: mappedResource(text.unicodeScalars)
            }
        guard let mapped else { throw JIDError(.forbiddenCharacter, in: part) }
        return mapped
    }

    /// The rules of UsernameCaseMapped in their order (RFC 8265 section 3.3.3), once.
    private mutating func mappedLocal(_ text: String.UnicodeScalarView) -> String? {
        var wide = String.UnicodeScalarView()
        for scalar in text { wide.append(Unistring.inUsualWidth(scalar)) }
        guard PRECIS.allows(wide, in: .identifier, &looks) else { return nil }
        var lower = String.UnicodeScalarView()
        for scalar in wide { Unistring.appendLowercased(scalar, to: &lower) }
        // The width, the small letter, and the normal form of each.
        looks += 3 * lower.count
        guard let normal = Unistring.nfc(String(lower)),
            PRECIS.isBidirectionallySound(normal.unicodeScalars, &looks),
            !normal.utf8.contains(where: Self.isExcludedFromLocal)
        else { return nil }
        return normal
    }

    /// The rules of OpaqueString in their order (RFC 8265 section 4.2.2), once.
    private mutating func mappedResource(_ text: String.UnicodeScalarView) -> String? {
        guard PRECIS.allows(text, in: .freeform, &looks) else { return nil }
        var mapped = String.UnicodeScalarView()
        for scalar in text { mapped.append(Unistring.isSpace(scalar) ? " " : scalar) }
        // The category and the normal form of each.
        looks += 2 * mapped.count
        return Unistring.nfc(String(mapped))
    }

    /// What is too long in any reading is told before a character is looked at.
    private static func checkLength(_ bytes: [UInt8], in part: JIDError.Part) throws(JIDError) {
        guard !bytes.isEmpty else { throw JIDError(.emptyPart, in: part) }
        guard bytes.count <= rawLimit else { throw JIDError(.tooLong, in: part) }
    }

    private static func text(_ bytes: [UInt8], in part: JIDError.Part) throws(JIDError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JIDError(.forbiddenCharacter, in: part)
        }
        return text
    }

    private static func bounded(_ text: String, in part: JIDError.Part) throws(JIDError) -> String {
        guard !text.isEmpty else { throw JIDError(.emptyPart, in: part) }
        guard text.utf8.count <= limit else { throw JIDError(.tooLong, in: part) }
        return text
    }

    /// Whether the byte is an ASCII character that may stand in a local part, where it is `lowercased`.
    static func isPlainLocal(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !isExcludedFromLocal(byte)
    }

    private static func isExcludedFromLocal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "@"):
            true
        case _: false
        }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
    }
}
