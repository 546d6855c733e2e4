/// The XML declaration in front of a stream's header, of which nothing is ever used: UTF-8 is the encoding, or the stream ends
/// (RFC 6120 section 11.6).
///
/// libxml2 is told to pass over the encoding, since it would else read the stream by it; so it is looked at here.
struct XMLDeclaration {
    /// Bytes behind `<?` that it may have: all that can be said in one are 60, and spaces.
    private static let bound = 256
    private static let target = Array("xml".utf8)

    /// What came behind `<?`.
    private var bytes: [UInt8] = []

    /// Takes the next byte.
    ///
    /// - Returns: Whether it was the last, and what is wrong with it; nil where nothing is yet.
    mutating func found(_ byte: UInt8) -> (isOver: Bool, fault: StreamError.Condition?) {
        let isOver = byte == UInt8(ascii: ">") && bytes.last == UInt8(ascii: "?")
        bytes.append(byte)
        guard hasTarget else { return (isOver, .restrictedXML) }
        if isOver { return (true, fault) }
        return (false, bytes.count > Self.bound ? .policyViolation : nil)
    }

    /// Whether it can still be a declaration: any other instruction is restricted (RFC 6120 section 11.1).
    private var hasTarget: Bool {
        guard bytes.count > Self.target.count else { return Self.target.starts(with: bytes) }
        let next = bytes[Self.target.count]
        return bytes.starts(with: Self.target) && (isXMLSpace(next) || next == UInt8(ascii: "?"))
    }

    /// What is wrong with the whole (XML sections 2.8, 2.9 and 4.3.3).
    ///
    /// Any 1.x is taken and read as XML 1.0, as section 2.8 of the fifth edition has it, which RFC 6120 refers to: what only
    /// another version allows is still refused.
    private var fault: StreamError.Condition? {
        var rest = bytes.dropFirst(Self.target.count).dropLast(2)
        guard let version = Self.value(of: "version", in: &rest), Self.isVersion1(version) else {
            return .notWellFormed
        }
        let encoding = Self.value(of: "encoding", in: &rest)
        if let encoding, !Self.isEncodingName(encoding) { return .notWellFormed }
        // Whatever it says: without a DTD it has no meaning, and may be passed over (RFC 6120 section 11.5).
        if let standalone = Self.value(of: "standalone", in: &rest) {
            guard standalone.elementsEqual("yes".utf8) || standalone.elementsEqual("no".utf8) else {
                return .notWellFormed
            }
        }
        guard rest.allSatisfy(isXMLSpace) else { return .notWellFormed }
        guard let encoding else { return nil }
        // Its case does not matter (XML section 4.3.3).
        let isUTF8 = encoding.count == 5 && zip(encoding, "utf-8".utf8).allSatisfy { $0 | 0x20 == $1 }
        return isUTF8 ? nil : .unsupportedEncoding
    }

    /// Takes what comes next off, where it has that name.
    private static func value(of name: StaticString, in rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var next = rest
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard next.first.map(isXMLSpace) == true else { return nil }
        next = next.drop(while: isXMLSpace)
        guard next.starts(with: name) else { return nil }
        next = next.dropFirst(name.count).drop(while: isXMLSpace)
        guard next.popFirst() == UInt8(ascii: "=") else { return nil }
        next = next.drop(while: isXMLSpace)
        guard let quote = next.popFirst(), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""),
            let end = next.firstIndex(of: quote)
        else { return nil }
        rest = next[(end + 1)...]
        return next[..<end]
    }

    private static func isVersion1(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.dropFirst(2)
        return text.starts(with: "1.".utf8) && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isEncodingName(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, first != UInt8(ascii: "_"), first.beginsPlainName else { return false }
        return text.allSatisfy(\.continuesPlainName)
    }
}
