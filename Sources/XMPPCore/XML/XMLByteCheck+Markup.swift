// Where in the markup it is.
extension XMLByteCheck {
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
        /// After the `<?` with which the stream begins.
        case declaration
        case instruction(question: Bool)

        var isText: Bool {
            if case .text = self { true } else { false }
        }
    }

    /// Whether it is in text, with no character, reference or section begun.
    var isInPlainText: Bool { markup.isText && utf8.isBetweenCharacters && reference == 0 }

    /// Whether bytes of a tag are being kept back.
    var isInSurplus: Bool {
        switch markup {
        case .surplus, .surplusQuoted: true
        case .start, .text, .opening, .tag, .quoted, .bang, .cdata, .declaration, .instruction: false
        }
    }

    /// Up to where an ordinary byte changes nothing: most bytes of a stream are one in such a place.
    func quietEnd(in bytes: ArraySlice<UInt8>, from index: Int? = nil) -> Int {
        let none = index ?? bytes.startIndex
        guard utf8.isBetweenCharacters, reference == 0 else { return none }
        switch markup {
        case .text, .cdata(brackets: 0, isAfterReturn: false), .instruction(question: false): return bytes.endIndex
        case .tag(matched: 5...): return bytes.startIndex + (tagStart + TagWeight.attributeBound - scanned)
        case .quoted: return bytes.startIndex + (valueCut - scanned)
        case .start, .opening, .tag, .surplus, .surplusQuoted, .bang, .cdata, .declaration, .instruction: return none
        }
    }

    /// Where the value at hand is cut.
    var valueCut: Int { max(valueStart + Self.valueBound, tagStart + tagBound) }

    var tagBound: Int { min(Self.tagBound, limits.stanzaBytes) }

    /// Leaves a value that goes on for too long.
    ///
    /// - Returns: The quote that ends it; nil where it is no such value.
    mutating func quoteToCut(at position: Int) -> UInt8? {
        guard case .quoted(let quote, let isDeclaration) = markup, open <= 1, position >= valueCut,
            utf8.isBetweenCharacters, reference == 0
        else { return nil }
        surplus = SurplusAttributes(insideDeclaration: isDeclaration)
        markup = .surplusQuoted(by: quote)
        return quote
    }

    /// What a line's end is replaced by where libxml2 leaves it as it is, which is in CDATA (XML section 2.11).
    func lineEnd(_ byte: UInt8) -> [UInt8]? {
        guard case .cdata(_, let isAfterReturn) = markup else { return nil }
        switch byte {
        case 0x0D: return [0x0A]
        case 0x0A where isAfterReturn: return []
        case _: return nil
        }
    }
}
