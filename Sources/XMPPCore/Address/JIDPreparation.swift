/// The preparation of the three parts of an address (RFC 7622 section 3).
enum JIDPreparation {
    static let limit = 1023

    static func local(_ bytes: [UInt8]) throws(JIDError) -> String {
        let text = try validated(bytes, as: .local)
        for byte in text.utf8 where byte <= 0x20 || "\"&'/:<>@".utf8.contains(byte) || byte == 0x7F {
            throw JIDError(.forbiddenCharacter, in: .local)
        }
        return text.lowercased()
    }

    static func domain(_ bytes: [UInt8]) throws(JIDError) -> String {
        var bytes = bytes
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        let text = try validated(bytes, as: .domain)
        for byte in text.utf8 where byte <= 0x20 || "\"&'/<>@".utf8.contains(byte) || byte == 0x7F {
            throw JIDError(.forbiddenCharacter, in: .domain)
        }
        return text.lowercased()
    }

    static func resource(_ bytes: [UInt8]) throws(JIDError) -> String {
        let text = try validated(bytes, as: .resource)
        for byte in text.utf8 where byte < 0x20 || byte == 0x7F {
            throw JIDError(.forbiddenCharacter, in: .resource)
        }
        return text
    }

    private static func validated(_ bytes: [UInt8], as part: JIDError.Part) throws(JIDError) -> String {
        guard !bytes.isEmpty else { throw JIDError(.emptyPart, in: part) }
        guard bytes.count <= limit else { throw JIDError(.tooLong, in: part) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JIDError(.forbiddenCharacter, in: part)
        }
        return text
    }
}
