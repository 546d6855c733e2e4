/// Looks at a stream's raw bytes before the XML parser does.
///
/// It refuses what libxml2 would take, or would take long over: bytes that are not UTF-8 (a server that reads them
/// differently could be made to relay a smuggled stanza), an encoding other than UTF-8, DTDs and comments (RFC 6120
/// section 11.1). Of a tag with thousands of attributes, for which libxml2 would need quadratic time, it keeps back the
/// surplus: what is left is over every limit, so that the stanza is dropped and a stranger's stanza never ends the stream.
struct XMLByteCheck {
    /// Attributes of one tag that are handed on.
    static let attributeBound = 4096

    /// Longer than any character reference that is written for a person.
    private static let referenceBound = 32

    private var utf8 = UTF8State()
    private var markup = Markup.start
    private var attributes = 0
    /// Bytes of the reference at hand, its ampersand included; 0 where there is none.
    private var reference = 0

    private enum Markup {
        /// Nothing but white space yet.
        case start
        case text
        /// After `<`.
        case opening
        case tag
        case quoted(by: UInt8)
        /// In a tag, behind the last attribute that is handed on.
        case surplus(slash: Bool)
        case surplusQuoted(by: UInt8)
        /// After `<!`, with so many bytes of `[CDATA[` seen.
        case bang(matched: Int)
        /// In a CDATA section, with so many `]` just seen (2 at most).
        case cdata(brackets: Int)
        case instruction(question: Bool)
    }

    /// Checks the next bytes.
    ///
    /// - Returns: Those that are fine, less the surplus, and what is wrong with the next; nothing follows a fault.
    mutating func scan(_ bytes: [UInt8]) -> (fine: ArraySlice<UInt8>, fault: StreamError.Condition?) {
        var isQuiet = self.isQuiet
        /// A copy without the surplus, once there is any.
        var kept: [UInt8]?
        for (index, byte) in bytes.enumerated() {
            if isQuiet, Self.isOrdinary(byte) {
                kept?.append(byte)
                continue
            }
            let before = markup
            let fault = utf8.accepts(byte) ? advance(byte) : .notWellFormed
            if let fault { return (kept?[...] ?? bytes[..<index], fault) }
            switch before {
            case .surplus(let slash):
                if kept == nil { kept = Array(bytes[..<index]) }
                if !isInSurplus { kept? += (slash ? "/>" : ">").utf8 }
            case .surplusQuoted:
                if kept == nil { kept = Array(bytes[..<index]) }
            case .start, .text, .opening, .tag, .quoted, .bang, .cdata, .instruction:
                kept?.append(byte)
            }
            isQuiet = self.isQuiet
        }
        return (kept?[...] ?? bytes[...], nil)
    }

    /// Whether bytes are being kept back.
    var isInSurplus: Bool {
        switch markup {
        case .surplus, .surplusQuoted: true
        case .start, .text, .opening, .tag, .quoted, .bang, .cdata, .instruction: false
        }
    }

    /// Whether an ordinary byte changes nothing: most bytes of a stream are one in such a place.
    private var isQuiet: Bool {
        guard utf8.isBetweenCharacters, reference == 0 else { return false }
        return switch markup {
        case .text, .tag, .quoted, .cdata(brackets: 0), .instruction(question: false): true
        case .start, .opening, .surplus, .surplusQuoted, .bang, .cdata, .instruction: false
        }
    }

    private static func isOrdinary(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: " "):
            true
        case _: false
        }
    }

    private mutating func advance(_ byte: UInt8) -> StreamError.Condition? {
        switch markup {
        case .start:
            if byte == UInt8(ascii: "<") {
                markup = .opening
            } else if !isXMLSpace(byte) {
                // A byte order mark, UTF-16, EBCDIC, or no XML at all.
                return .unsupportedEncoding
            }
        case .text:
            if let fault = inReference(byte) { return fault }
            if byte == UInt8(ascii: "<") { markup = .opening }
        case .opening:
            attributes = 0
            switch byte {
            case UInt8(ascii: "!"): markup = .bang(matched: 0)
            case UInt8(ascii: "?"): markup = .instruction(question: false)
            case _:
                markup = .tag
                return inTag(byte)
            }
        case .tag:
            return inTag(byte)
        case .quoted(let quote):
            if let fault = inReference(byte) { return fault }
            // Section 2.3 of XML: no `<` in an attribute value. libxml2 says so only with the next data.
            if byte == UInt8(ascii: "<") { return .notWellFormed }
            if byte == quote { markup = attributes < Self.attributeBound ? .tag : .surplus(slash: false) }
        case .surplus:
            switch byte {
            case UInt8(ascii: ">"): markup = .text
            case UInt8(ascii: "<"): return .notWellFormed
            case UInt8(ascii: "'"), UInt8(ascii: "\""): markup = .surplusQuoted(by: byte)
            case _: markup = .surplus(slash: byte == UInt8(ascii: "/"))
            }
        case .surplusQuoted(let quote):
            if byte == UInt8(ascii: "<") { return .notWellFormed }
            if byte == quote { markup = .surplus(slash: false) }
        case .bang(let matched):
            let expected = Array("[CDATA[".utf8)
            guard matched < expected.count, byte == expected[matched] else { return .restrictedXML }
            markup = matched + 1 == expected.count ? .cdata(brackets: 0) : .bang(matched: matched + 1)
        case .cdata(let brackets):
            switch byte {
            case UInt8(ascii: "]"): markup = .cdata(brackets: min(2, brackets + 1))
            case UInt8(ascii: ">") where brackets == 2: markup = .text
            case _: markup = .cdata(brackets: 0)
            }
        case .instruction(let question):
            if question, byte == UInt8(ascii: ">") {
                markup = .text
            } else {
                markup = .instruction(question: byte == UInt8(ascii: "?"))
            }
        }
        return nil
    }

    /// A reference ends soon, or it is none of those that XMPP allows.
    ///
    /// libxml2 waits for its semicolon and holds back everything behind it.
    private mutating func inReference(_ byte: UInt8) -> StreamError.Condition? {
        guard reference > 0 else {
            if byte == UInt8(ascii: "&") { reference = 1 }
            return nil
        }
        switch byte {
        case UInt8(ascii: ";"): reference = 0
        case UInt8(ascii: "#"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            reference += 1
            if reference > Self.referenceBound { return .restrictedXML }
        case _: return .notWellFormed
        }
        return nil
    }

    private mutating func inTag(_ byte: UInt8) -> StreamError.Condition? {
        switch byte {
        case UInt8(ascii: ">"): markup = .text
        case UInt8(ascii: "<"): return .notWellFormed
        case UInt8(ascii: "'"), UInt8(ascii: "\""): markup = .quoted(by: byte)
        case UInt8(ascii: "="):
            attributes += 1
            if attributes > Self.attributeBound { return .policyViolation }
        case _: break
        }
        return nil
    }
}

func isXMLSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

/// Checks UTF-8 byte by byte (the table of RFC 3629 section 4), and that no control character is there that XML 1.0
/// cannot hold.
private struct UTF8State {
    private var missing = 0
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    var isBetweenCharacters: Bool { missing == 0 }

    mutating func accepts(_ byte: UInt8) -> Bool {
        if missing == 0 {
            allowed = 0x80...0xBF
            switch byte {
            case 0x20...0x7F, 0x09, 0x0A, 0x0D: return true
            case 0xC2...0xDF: missing = 1
            case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
            case 0xED: (missing, allowed) = (2, 0x80...0x9F)
            case 0xE1...0xEF: missing = 2
            case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
            case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
            case 0xF1...0xF3: missing = 3
            case _: return false
            }
            return true
        }
        guard allowed.contains(byte) else { return false }
        missing -= 1
        allowed = 0x80...0xBF
        return true
    }
}
