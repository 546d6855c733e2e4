// What a byte does that is not ordinary where it stands.
extension XMLByteCheck {
    /// What a byte is that is not UTF-8 of XML.
    ///
    /// UTF-16 and UTF-32 have a NUL among the stream's first four bytes (XML appendix F.1).
    func fault(of byte: UInt8, at position: Int) -> StreamError.Condition {
        byte == 0 && position < 4 ? .unsupportedEncoding : utf8.fault(of: byte)
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
            case UInt8(ascii: "?"): markup = position == 1 ? .declaration : .instruction(question: false)
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
        case .declaration:
            let (isOver, fault) = declaration.found(byte)
            if isOver { markup = .text }
            return fault
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
    mutating func skip(_ byte: UInt8, at position: Int, _ output: inout [UInt8]?) -> StreamError.Condition? {
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
