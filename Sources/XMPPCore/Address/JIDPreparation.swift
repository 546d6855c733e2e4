/// The preparation of the three parts of an address (RFC 7622 section 3).
enum JIDPreparation {
    /// Bytes of a prepared part (RFC 7622 section 3.1).
    static let limit = 1023
    /// Bytes of a part that are looked at at all: mapping makes a part shorter by a factor of 3 at most.
    static let rawLimit = 4 * limit

    /// The profile UsernameCaseMapped (RFC 8265 section 3.3) without the characters of RFC 7622 section 3.3.1.
    static func local(_ bytes: [UInt8]) throws(JIDError) -> String {
        guard !bytes.allSatisfy(isPlainLocal) || bytes.isEmpty else {
            return try bounded(String(decoding: bytes.map(lowercased), as: UTF8.self), in: .local)
        }
        return try stable(try text(bytes, in: .local), in: .local) { text throws(JIDError) in
            let forbidden = JIDError(.forbiddenCharacter, in: .local)
            guard let wide = PRECIS.widthMapped(text), PRECIS.allows(wide, in: .identifier) else { throw forbidden }
            let lower = wide.unicodeScalars.map(\.properties.lowercaseMapping).joined()
            guard let normal = Unistring.nfc(lower), PRECIS.isBidirectionallySound(normal),
                !normal.utf8.contains(where: isExcludedFromLocal)
            else { throw forbidden }
            return normal
        }
    }

    /// The profile OpaqueString (RFC 8265 section 4.2).
    static func resource(_ bytes: [UInt8]) throws(JIDError) -> String {
        guard !bytes.allSatisfy({ (0x20...0x7E).contains($0) }) || bytes.isEmpty else {
            return try bounded(String(decoding: bytes, as: UTF8.self), in: .resource)
        }
        return try stable(try text(bytes, in: .resource), in: .resource) { text throws(JIDError) in
            guard PRECIS.allows(text, in: .freeform) else { throw JIDError(.forbiddenCharacter, in: .resource) }
            var mapped = String.UnicodeScalarView()
            for scalar in text.unicodeScalars {
                mapped.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
            }
            guard let normal = Unistring.nfc(String(mapped)) else {
                throw JIDError(.forbiddenCharacter, in: .resource)
            }
            return normal
        }
    }

    /// A host name in U-labels, an IPv4 address, or an IPv6 address in brackets (RFC 7622 section 3.2).
    static func domain(_ bytes: [UInt8]) throws(JIDError) -> String {
        let raw = try text(bytes, in: .domain)
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.count > 2, bytes.last == UInt8(ascii: "]"),
                let address = bytes[1..<(bytes.count - 1)].withUnsafeBufferPointer({ IPv6Address($0) })
            else { throw JIDError(.badDomain, in: .domain) }
            return address.inBrackets
        }
        guard let name = HostName.prepared(raw) else { throw JIDError(.badDomain, in: .domain) }
        return try bounded(name, in: .domain)
    }

    /// Applies the rules until nothing changes, which RFC 8264 section 7 wants after 3 more times at most.
    private static func stable(
        _ text: String,
        in part: JIDError.Part,
        _ rules: (String) throws(JIDError) -> String
    ) throws(JIDError) -> String {
        var text = try rules(text)
        for _ in 0..<3 {
            let again = try rules(text)
            if again.utf8.elementsEqual(text.utf8) { return try bounded(text, in: part) }
            text = again
        }
        throw JIDError(.forbiddenCharacter, in: part)
    }

    private static func text(_ bytes: [UInt8], in part: JIDError.Part) throws(JIDError) -> String {
        guard !bytes.isEmpty else { throw JIDError(.emptyPart, in: part) }
        guard bytes.count <= rawLimit else { throw JIDError(.tooLong, in: part) }
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
