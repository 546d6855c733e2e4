/// Looks at a stream's raw bytes before the XML parser does.
///
/// It refuses what libxml2 would take, or would take long over: bytes that are not UTF-8 (a server that reads them
/// differently could be made to relay a smuggled stanza), an encoding other than UTF-8, DTDs and comments (RFC 6120
/// section 11.1).
///
/// And it applies the limits for which libxml2 would need more than linear time: it looks at all attributes of a tag for
/// each, and at all namespaces in scope for each name. A stanza past one of them is kept back from there to its end, which
/// is looked for here (docs/design/013-over-the-limits.md); a stranger's stanza never ends the stream. Where it is the
/// stanza's own tag, the attributes by which it is answered are handed on first (`SurplusAttributes`).
struct XMLByteCheck {
    /// Bytes of one tag that are handed on, to the end of the attribute that they end in: libxml2 keeps a tag until its end.
    private static let tagBound = 262_144
    /// Bytes of a value that are handed on in any case; behind them it is cut where the tag is over its bound.
    ///
    /// Whatever references it is written with (`referenceBound`), what is left is longer than any address, so that a cut
    /// value is never taken for a whole one.
    static let valueBound = 131_072

    /// How much longer a stanza is, as written, than what its sender wrote: at more the stream ends in any case.
    ///
    /// Servers declare a namespace again at each element.
    private static let lengthening = 64

    /// Longer than any character reference that is written for a person.
    private static let referenceBound = 32
    /// The bytes of `xmlns`.
    static let declarationCount = 5
    private static let section = Array("[CDATA[".utf8)

    /// What came of some bytes.
    struct Reading {
        /// What is to be parsed.
        var fine: ArraySlice<UInt8>
        /// How many bytes were looked at: not all where one of the following is so.
        var count = 0
        /// The next byte ends a tag of which something was kept back.
        var isBeforeCutTagsEnd = false
        /// From the next byte on the stanza at hand is kept back.
        var beginsSkipping = false
        /// The stanza that was kept back has ended.
        var endsSkipping = false
        var fault: StreamError.Condition?
    }

    var utf8 = UTF8State()
    var markup = Markup.start
    var limits = XMLLimits()
    var attributes = 0
    /// Bytes of the reference at hand, its ampersand included; 0 where there is none.
    var reference = 0
    private var surplus = SurplusAttributes()
    private var isAtCutTagsEnd = false

    /// Open elements, the stream's own included.
    private(set) var open = 0
    private(set) var isEndTag = false
    var isEmptyTag = false
    /// Namespaces that the tag at hand declares.
    var declared = 0
    private var scope = NamespaceScope()

    /// Whether the stanza at hand is kept back, and what is counted of it.
    private(set) var isSkipping = false
    var skipped = SkippedStanza()

    /// Bytes looked at since the stream began.
    var scanned = 0
    /// Where the stanza at hand began, in that count.
    private var stanzaStart = 0
    /// Where the text at hand began, later by what references are longer than their characters.
    private var textStart = 0
    /// Where the tag and the value at hand began, in that count.
    var tagStart = 0
    var valueStart = 0

    enum Markup {
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
    /// It stops at a fault, before the end of a tag that was cut, and where what is kept back begins or ends; the caller goes
    /// on with the rest.
    mutating func scan(_ all: ArraySlice<UInt8>, _ limits: XMLLimits) -> Reading {
        self.limits = limits
        let isOver = isSkipping || isInSurplus
        var reading = isSkipping ? scanSkipped(all) : scanTaken(all)
        if isOver, scanned - stanzaStart > Self.lengthening * limits.discardedBytes {
            reading.fault = .policyViolation
        }
        return reading
    }

    /// What counts of the stanza at hand for `XMLLimits.discardedBytes`: what was kept back, and text.
    var weight: Int { skipped.weight + (isInSurplus ? surplus.tag.weight : 0) }

    /// Keeps the rest of the stanza at hand back.
    ///
    /// - Returns: Whether there is a rest.
    mutating func skip() -> Bool {
        guard open > 1 else { return false }
        beginSkipping()
        return true
    }

    private mutating func beginSkipping() {
        defer { isSkipping = true }
        switch markup {
        case .text:
            // A reference at hand counts when it ends, and so do brackets.
            textEnded(at: scanned - reference)
            skipped.begin()
        case .cdata(let brackets, _):
            textEnded(at: scanned - brackets)
            skipped.begin()
        case .quoted(_, let isDeclaration): skipped.begin(insideDeclaration: isDeclaration)
        case _: skipped.begin()
        }
        (scope, declared) = (NamespaceScope(), 0)
    }

    /// The end of the stanza that was kept back.
    mutating func endSkipping() {
        isSkipping = false
    }

    private mutating func scanTaken(_ all: ArraySlice<UInt8>) -> Reading {
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
                utf8.accepts(byte)
                ? (wasInSurplus ? skip(byte, at: position, &output) : advance(byte, at: position)) : .notWellFormed
            if reading.fault != nil {
                end = index
                break
            }
            if wasInSurplus || output != nil { kept? += output ?? [] } else { kept?.append(byte) }
            if isSkipping || wasInSurplus && !isInSurplus {
                // Behind a tag that was cut, how much is read next is decided anew.
                reading.beginsSkipping = isSkipping
                end = index + 1
                break
            }
            quietEnd = self.quietEnd(in: bytes, from: index + 1)
        }
        reading.count = end - all.startIndex
        scanned += end - bytes.startIndex
        reading.fine = kept?[...] ?? all[..<end]
        return reading
    }

    // MARK: Open elements

    mutating func tagBegan(_ byte: UInt8, at position: Int) {
        (attributes, declared, isEmptyTag, tagStart) = (0, 0, false, position)
        isEndTag = byte == UInt8(ascii: "/")
        guard open == 1 else { return }
        stanzaStart = position
        if skipped.weight > 0 { skipped = SkippedStanza() }
    }

    /// Text has ended; between two stanzas there is none, and of what is kept back it is counted as it comes.
    mutating func textEnded(at position: Int) {
        if open > 1, !isSkipping { skipped.foundText(position - textStart) }
    }

    mutating func tagEnded(at position: Int) {
        textStart = position + 1
        if isEndTag {
            scope.leave(open)
            open -= 1
        } else if !isEmptyTag {
            open += 1
            // What the header declares is not the stanzas'.
            if declared > 0, open > 1 { scope.enter(open, declared) }
        }
        // It would count in what is between two tags.
        declared = 0
    }

    /// Whether the tag at hand is past a limit at the end of a value.
    func isOver(withDeclaration isDeclaration: Bool, at position: Int) -> Bool {
        attributes > limits.attributes || position - tagStart >= tagBound
            || isDeclaration && scope.count + declared >= limits.namespaces
    }

    // MARK: -

    /// Whether bytes of a tag are being kept back.
    var isInSurplus: Bool {
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
        case .tag(matched: 5...): return bytes.startIndex + (tagStart + TagWeight.attributeBound - scanned)
        case .quoted: return bytes.startIndex + (valueCut - scanned)
        case .start, .opening, .tag, .surplus, .surplusQuoted, .bang, .cdata, .instruction: return none
        }
    }

    /// Where the value at hand is cut.
    private var valueCut: Int { max(valueStart + Self.valueBound, tagStart + tagBound) }

    private var tagBound: Int { min(Self.tagBound, limits.stanzaBytes) }

    /// Leaves a value that goes on for too long.
    ///
    /// - Returns: The quote that ends it; nil where it is no such value.
    private mutating func quoteToCut(at position: Int) -> UInt8? {
        guard case .quoted(let quote, let isDeclaration) = markup, open <= 1, position >= valueCut,
            utf8.isBetweenCharacters, reference == 0
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

    mutating func advance(_ byte: UInt8, at position: Int) -> StreamError.Condition? {
        switch markup {
        case .start:
            if byte == UInt8(ascii: "<") {
                markup = .opening
            } else if !isXMLSpace(byte) {
                // A byte order mark, UTF-16, EBCDIC, or no XML at all.
                return .unsupportedEncoding
            }
        case .text:
            let before = reference
            if let fault = inReference(byte) { return fault }
            if reference == 0 { textStart += before }
            if byte == UInt8(ascii: "<") {
                textEnded(at: position)
                markup = .opening
            }
        case .opening:
            tagBegan(byte, at: position)
            switch byte {
            case UInt8(ascii: "!"): markup = .bang(matched: 0)
            case UInt8(ascii: "?"): markup = .instruction(question: false)
            case _:
                markup = .tag(matched: 6)
                if open > limits.depth, !isEndTag, !isSkipping { beginSkipping() }
                return inTag(byte, matched: 6, at: position)
            }
        case .tag(let matched):
            return inTag(byte, matched: matched, at: position)
        case .quoted(let quote, let isDeclaration):
            if let fault = inReference(byte) { return fault }
            // Section 2.3 of XML: no `<` in an attribute value. libxml2 says so only with the next data.
            if byte == UInt8(ascii: "<") { return .notWellFormed }
            guard byte == quote else {
                if position >= valueCut, open > 1, !isSkipping { beginSkipping() }
                return nil
            }
            let isPast = isOver(withDeclaration: isDeclaration, at: position)
            if isDeclaration { declared += 1 }
            markup = .tag(matched: 0)
            guard isPast, !isSkipping else { return nil }
            if open > 1 {
                beginSkipping()
            } else {
                surplus = SurplusAttributes()
                markup = .surplus
            }
        case .bang(let matched):
            guard matched < Self.section.count, byte == Self.section[matched] else { return .restrictedXML }
            textStart = position + 1
            markup =
                matched + 1 == Self.section.count
                ? .cdata(brackets: 0, isAfterReturn: false) : .bang(matched: matched + 1)
        case .cdata(let brackets, _):
            switch byte {
            case UInt8(ascii: "]"): markup = .cdata(brackets: min(2, brackets + 1), isAfterReturn: false)
            case UInt8(ascii: ">") where brackets == 2:
                textEnded(at: position - 2)
                textStart = position + 1
                markup = .text
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
        guard isSkipping || position - tagStart < TagWeight.attributeBound else { return .policyViolation }
        switch byte {
        case UInt8(ascii: ">"):
            markup = .text
            tagEnded(at: position)
        case UInt8(ascii: "<"): return .notWellFormed
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            valueStart = position
            markup = .quoted(by: byte, isDeclaration: matched == Self.declarationCount)
        case UInt8(ascii: "="):
            attributes += 1
            if attributes > limits.attributes, open > 1, !isSkipping { beginSkipping() }
            if matched != Self.declarationCount { markup = .tag(matched: 6) }
        case _ where isXMLSpace(byte):
            // Behind `xmlns` it may be the space before the equals sign.
            if matched != Self.declarationCount { markup = .tag(matched: 0) }
        case UInt8(ascii: "/"):
            isEmptyTag = true
            if matched < Self.declarationCount { markup = .tag(matched: 6) }
        case _ where matched < Self.declarationCount:
            markup = .tag(matched: byte == Self.declaration(at: matched) ? matched + 1 : 6)
        case _: break
        }
        return nil
    }

    /// Takes a byte of the surplus and writes down what is handed on.
    private mutating func skip(_ byte: UInt8, at position: Int, _ output: inout [UInt8]?) -> StreamError.Condition? {
        guard byte != UInt8(ascii: "<") else { return .notWellFormed }
        if case .surplusQuoted(let quote) = markup {
            if let fault = inReference(byte) { return fault }
            if byte == quote, reference == 0 {
                output = surplus.valueEnded(quote: quote, &skipped.namespaces)
                markup = .surplus
            } else {
                surplus.foundInside(byte, isCounted: reference == 0)
            }
        } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
            surplus.valueBegan()
            markup = .surplusQuoted(by: byte)
        } else if byte == UInt8(ascii: ">") {
            output = Array((surplus.tag.hasSlash ? "/>" : ">").utf8)
            markup = .text
            isAtCutTagsEnd = false
            isEmptyTag = surplus.tag.hasSlash
            skipped.add(surplus.tag)
            tagEnded(at: position)
            if open > 1 { beginSkipping() }
        } else if !surplus.foundOutside(byte) {
            return .notWellFormed
        }
        return surplus.tag.isEndless ? .policyViolation : nil
    }
}

func isXMLSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
