/// Looks at a stream's raw bytes before the XML parser does.
///
/// It refuses what libxml2 would take, or would take long over: bytes that are not UTF-8 (a server that reads them
/// differently could be made to relay a smuggled stanza), an encoding other than UTF-8, DTDs and comments (RFC 6120
/// section 11.1). Of a tag with thousands of attributes, for which libxml2 would need quadratic time, or of hundreds of
/// KiB, which libxml2 would keep until its end, it keeps back the surplus: what is left is over every limit, so that the
/// stanza is dropped and a stranger's stanza never ends the stream.
struct XMLByteCheck {
    /// Attributes of one tag that are handed on.
    static let attributeBound = 4096
    /// Bytes of one tag that are handed on, to the end of the attribute that they end in.
    static let tagBound = 262_144
    /// Bytes of a value that are handed on in any case; behind them it is cut where the tag is over its bound.
    ///
    /// Whatever references it is written with (`referenceBound`), what is left is longer than any address, so that a cut
    /// value is never taken for a whole one.
    static let valueBound = 131_072

    /// Longer than any character reference that is written for a person.
    private static let referenceBound = 32
    /// The bytes of `xmlns`.
    private static let declarationCount = 5
    private static let section = Array("[CDATA[".utf8)

    /// What came of some bytes.
    struct Reading {
        /// What is to be parsed.
        var fine: ArraySlice<UInt8>
        /// How many bytes were looked at: not all where there is a fault, and where a tag ends that was cut.
        var count = 0
        /// What was kept back of the tag at hand, by `SurplusAttributes.weight`.
        var surplus = 0
        /// Whether the next byte ends a tag of which something was kept back.
        var isBeforeCutTagsEnd = false
        var fault: StreamError.Condition?
    }

    private var utf8 = UTF8State()
    private var markup = Markup.start
    private var attributes = 0
    /// Bytes of the reference at hand, its ampersand included; 0 where there is none.
    private var reference = 0
    private var surplus = SurplusAttributes()
    private var isAtCutTagsEnd = false

    /// Bytes looked at since the stream began.
    private var scanned = 0
    /// Where the tag and the value at hand began, in that count.
    private var tagStart = 0
    private var valueStart = 0

    private enum Markup {
        /// Nothing but white space yet.
        case start
        case text
        /// After `<`.
        case opening
        /// In a tag, with so many bytes of `xmlns` matched by the name at hand; 6 where it is another.
        case tag(matched: Int)
        case quoted(by: UInt8, isDeclaration: Bool)
        /// In a tag, behind the last attribute that is handed on.
        case surplus
        case surplusQuoted(by: UInt8)
        /// After `<!`, with so many bytes of `[CDATA[` seen.
        case bang(matched: Int)
        /// In a CDATA section, with so many `]` just seen (2 at most), or a carriage return.
        case cdata(brackets: Int, isAfterReturn: Bool)
        case instruction(question: Bool)

        var isText: Bool {
            if case .text = self { true } else { false }
        }
    }

    /// Whether it is in text, with no character, reference or section begun.
    var isInPlainText: Bool { markup.isText && utf8.isBetweenCharacters && reference == 0 }

    /// Goes on behind bytes that others have looked at, from text to text.
    mutating func passOver(_ count: Int) { scanned += count }

    /// Checks the next bytes.
    ///
    /// It stops at a fault and before the end of a tag that was cut; the caller goes on with the rest.
    mutating func scan(_ all: ArraySlice<UInt8>) -> Reading {
        let plain = all.withUnsafeBytes { scanPlain($0) }
        scanned += plain
        guard plain < all.count else { return Reading(fine: all, count: plain) }
        let bytes = all.dropFirst(plain)
        /// A copy without the surplus, once there is any.
        var kept: [UInt8]?
        var quietEnd = self.quietEnd(in: bytes)
        var end = bytes.endIndex
        var reading = Reading(fine: all)
        for index in bytes.indices {
            let byte = bytes[index]
            if index < quietEnd, Self.isOrdinary(byte) {
                kept?.append(byte)
                continue
            }
            if case .surplus = markup, byte == UInt8(ascii: ">"), !isAtCutTagsEnd {
                isAtCutTagsEnd = true
                reading.isBeforeCutTagsEnd = true
                end = index
                break
            }
            let position = scanned + index - bytes.startIndex
            if let quote = quoteToCut(at: position) {
                if kept == nil { kept = Array(all[..<index]) }
                kept?.append(quote)
            }
            let wasInSurplus = isInSurplus
            var output = lineEnd(byte)
            if wasInSurplus || output != nil, kept == nil { kept = Array(all[..<index]) }
            reading.fault =
                utf8.accepts(byte) ? (wasInSurplus ? skip(byte, &output) : advance(byte, at: position)) : .notWellFormed
            if reading.fault != nil {
                end = index
                break
            }
            if wasInSurplus || output != nil { kept? += output ?? [] } else { kept?.append(byte) }
            quietEnd = self.quietEnd(in: bytes, from: index + 1)
        }
        reading.count = end - all.startIndex
        scanned += end - bytes.startIndex
        reading.fine = kept?[...] ?? all[..<end]
        reading.surplus = isInSurplus ? surplus.weight : 0
        return reading
    }

    /// Reads of more bytes go the long way: a shorter one is far below each bound of a tag.
    private static let plainBound = 32_768

    /// Looks at the first bytes, up to one that is not plain ASCII in plain markup: of nearly every read, at all.
    ///
    /// - Returns: How many were looked at, all of which are fine.
    private mutating func scanPlain(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard utf8.isBetweenCharacters, reference == 0, bytes.count <= Self.plainBound,
            scanned - tagStart <= Self.plainBound || markup.isText
        else { return 0 }
        var index = 0
        while index < bytes.count {
            switch markup {
            case .text:
                index = bytes.endOfPlain(from: index, before: UInt8(ascii: "<"))
                guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else { return index }
                markup = .opening
                index += 1
            case .opening:
                guard Self.isOrdinary(bytes[index]) || bytes[index] == UInt8(ascii: "/") else { return index }
                (attributes, tagStart) = (0, scanned + index)
                markup = .tag(matched: 6)
                index += 1
            case .tag(let matched):
                let begin = index
                scanTag(bytes, &index, matched)
                if index == begin { return index }
            case .quoted(let quote, _):
                index = bytes.endOfPlain(from: index, before: quote)
                guard index < bytes.count, bytes[index] == quote, attributes < Self.attributeBound else { return index }
                markup = .tag(matched: 0)
                index += 1
            case .start, .surplus, .surplusQuoted, .bang, .cdata, .instruction:
                return index
            }
        }
        return bytes.count
    }

    /// Looks at a tag up to behind its end, or behind a quote, or to a byte that is none of the usual ones: as `inTag` would.
    private mutating func scanTag(_ bytes: UnsafeRawBufferPointer, _ index: inout Int, _ before: Int) {
        var matched = before
        loop: while index < bytes.count {
            let byte = bytes[index]
            if matched > Self.declarationCount, Self.isOrdinary(byte) {
                // Of no interest before the name ends.
                index += 1
                continue
            }
            switch byte {
            case UInt8(ascii: ">"):
                markup = .text
                index += 1
                return
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                valueStart = scanned + index
                markup = .quoted(by: byte, isDeclaration: matched == Self.declarationCount)
                index += 1
                return
            case UInt8(ascii: "="):
                guard attributes < Self.attributeBound else { break loop }
                attributes += 1
                if matched != Self.declarationCount { matched = 6 }
            case 0x20:
                if matched != Self.declarationCount { matched = 0 }
            case _ where Self.isOrdinary(byte) || byte == UInt8(ascii: "/"):
                guard matched < Self.declarationCount else { break }
                matched = byte == Self.declaration(at: matched) ? matched + 1 : 6
            case _: break loop
            }
            index += 1
        }
        markup = .tag(matched: matched)
    }

    /// Whether bytes are being kept back.
    private var isInSurplus: Bool {
        switch markup {
        case .surplus, .surplusQuoted: true
        case .start, .text, .opening, .tag, .quoted, .bang, .cdata, .instruction: false
        }
    }

    /// Up to where an ordinary byte changes nothing: most bytes of a stream are one in such a place.
    private func quietEnd(in bytes: ArraySlice<UInt8>, from index: Int? = nil) -> Int {
        let none = index ?? bytes.startIndex
        guard utf8.isBetweenCharacters, reference == 0 else { return none }
        switch markup {
        case .text, .cdata(brackets: 0, isAfterReturn: false), .instruction(question: false): return bytes.endIndex
        case .tag(matched: 5...): return bytes.startIndex + (tagStart + SurplusAttributes.attributeBound - scanned)
        case .quoted: return bytes.startIndex + (valueCut - scanned)
        case .start, .opening, .tag, .surplus, .surplusQuoted, .bang, .cdata, .instruction: return none
        }
    }

    /// Where the value at hand is cut.
    private var valueCut: Int { max(valueStart + Self.valueBound, tagStart + Self.tagBound) }

    /// Leaves a value that goes on for too long.
    ///
    /// - Returns: The quote that ends it; nil where it is no such value.
    private mutating func quoteToCut(at position: Int) -> UInt8? {
        guard case .quoted(let quote, let isDeclaration) = markup, position >= valueCut, utf8.isBetweenCharacters,
            reference == 0
        else { return nil }
        surplus = SurplusAttributes(insideDeclaration: isDeclaration)
        markup = .surplusQuoted(by: quote)
        return quote
    }

    /// What a line's end is replaced by where libxml2 leaves it as it is, which is in CDATA (XML section 2.11).
    private func lineEnd(_ byte: UInt8) -> [UInt8]? {
        guard case .cdata(_, let isAfterReturn) = markup else { return nil }
        switch byte {
        case 0x0D: return [0x0A]
        case 0x0A where isAfterReturn: return []
        case _: return nil
        }
    }

    /// Letters, digits, `-`, `.`, `:`: neither a space, at which a name begins, nor `/`.
    private static func isOrdinary(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-")...UInt8(ascii: ":"):
            true
        case _: false
        }
    }

    private mutating func advance(_ byte: UInt8, at position: Int) -> StreamError.Condition? {
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
            (attributes, tagStart) = (0, position)
            switch byte {
            case UInt8(ascii: "!"): markup = .bang(matched: 0)
            case UInt8(ascii: "?"): markup = .instruction(question: false)
            case _:
                markup = .tag(matched: 6)
                return inTag(byte, matched: 6, at: position)
            }
        case .tag(let matched):
            return inTag(byte, matched: matched, at: position)
        case .quoted(let quote, _):
            if let fault = inReference(byte) { return fault }
            // Section 2.3 of XML: no `<` in an attribute value. libxml2 says so only with the next data.
            if byte == UInt8(ascii: "<") { return .notWellFormed }
            guard byte == quote else { return nil }
            if attributes < Self.attributeBound, position - tagStart < Self.tagBound {
                markup = .tag(matched: 0)
            } else {
                surplus = SurplusAttributes()
                markup = .surplus
            }
        case .bang(let matched):
            guard matched < Self.section.count, byte == Self.section[matched] else { return .restrictedXML }
            markup =
                matched + 1 == Self.section.count
                ? .cdata(brackets: 0, isAfterReturn: false) : .bang(matched: matched + 1)
        case .cdata(let brackets, _):
            switch byte {
            case UInt8(ascii: "]"): markup = .cdata(brackets: min(2, brackets + 1), isAfterReturn: false)
            case UInt8(ascii: ">") where brackets == 2: markup = .text
            case _: markup = .cdata(brackets: 0, isAfterReturn: byte == 0x0D)
            }
        case .instruction(let question):
            if question, byte == UInt8(ascii: ">") {
                markup = .text
            } else {
                markup = .instruction(question: byte == UInt8(ascii: "?"))
            }
        case .surplus, .surplusQuoted: break
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

    private mutating func inTag(_ byte: UInt8, matched: Int, at position: Int) -> StreamError.Condition? {
        guard position - tagStart < SurplusAttributes.attributeBound else { return .policyViolation }
        switch byte {
        case UInt8(ascii: ">"): markup = .text
        case UInt8(ascii: "<"): return .notWellFormed
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            valueStart = position
            markup = .quoted(by: byte, isDeclaration: matched == Self.declarationCount)
        case UInt8(ascii: "="):
            attributes += 1
            if attributes > Self.attributeBound { return .policyViolation }
            if matched != Self.declarationCount { markup = .tag(matched: 6) }
        case _ where isXMLSpace(byte):
            // Behind `xmlns` it may be the space before the equals sign.
            if matched != Self.declarationCount { markup = .tag(matched: 0) }
        case _ where matched < Self.declarationCount:
            markup = .tag(matched: byte == Self.declaration(at: matched) ? matched + 1 : 6)
        case _: break
        }
        return nil
    }

    /// A byte of `xmlns`; no array, which would be looked up at each byte of each tag.
    private static func declaration(at index: Int) -> UInt8 {
        switch index {
        case 0: UInt8(ascii: "x")
        case 1: UInt8(ascii: "m")
        case 2: UInt8(ascii: "l")
        case 3: UInt8(ascii: "n")
        case _: UInt8(ascii: "s")
        }
    }

    /// Takes a byte of the surplus and writes down what is handed on.
    private mutating func skip(_ byte: UInt8, _ output: inout [UInt8]?) -> StreamError.Condition? {
        guard byte != UInt8(ascii: "<") else { return .notWellFormed }
        if case .surplusQuoted(let quote) = markup {
            if let fault = inReference(byte) { return fault }
            if byte == quote, reference == 0 {
                output = surplus.valueEnded(quote: quote)
                markup = .surplus
            } else {
                surplus.foundInside(byte, isCounted: reference == 0)
            }
        } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
            surplus.valueBegan()
            markup = .surplusQuoted(by: byte)
        } else if byte == UInt8(ascii: ">") {
            output = Array((surplus.hasSlash ? "/>" : ">").utf8)
            markup = .text
            isAtCutTagsEnd = false
        } else if !surplus.foundOutside(byte) {
            return .notWellFormed
        }
        return surplus.isEndless ? .policyViolation : nil
    }
}

func isXMLSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
