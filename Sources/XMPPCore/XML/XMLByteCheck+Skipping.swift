extension XMLByteCheck {
    /// Looks for the end of the stanza that is kept back, and weighs what is before it.
    ///
    /// What would end the stream elsewhere does so here as far as it can be seen byte by byte. Of names, references and
    /// namespaces nobody reads anything, so that they cost no more than their bytes.
    mutating func scanSkipped(_ all: ArraySlice<UInt8>) -> Reading {
        var reading = Reading(fine: [])
        all.withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count, open > 1, reading.fault == nil {
                index = endOfPlain(in: bytes, from: index)
                guard index < bytes.count else { break }
                reading.fault =
                    utf8.accepts(bytes[index]) ? pass(bytes[index], at: scanned + index) : utf8.fault(of: bytes[index])
                index += 1
            }
            reading.count = index
        }
        scanned += reading.count
        if open <= 1, reading.fault == nil {
            endSkipping()
            reading.endsSkipping = true
        }
        return reading
    }

    /// Passes over what needs no look at each byte.
    private mutating func endOfPlain(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard utf8.isBetweenCharacters, reference == 0 else { return start }
        switch markup {
        case .text:
            let end = bytes.endOfPlain(from: start, before: UInt8(ascii: "<"))
            skipped.foundText(end - start)
            return end
        case .quoted(let quote, _):
            let end = bytes.endOfPlain(from: start, before: quote)
            skipped.foundInside(bytes[start..<end])
            return end
        case .start, .opening, .tag, .surplus, .surplusQuoted, .bang, .cdata, .declaration, .instruction: return start
        }
    }

    private mutating func pass(_ byte: UInt8, at position: Int) -> StreamError.Condition? {
        let before = markup
        if let fault = advance(byte, at: position) { return fault }
        switch (before, markup) {
        case (.text, .text): if reference == 0 { skipped.foundText(1) }
        // Brackets are text where the section does not end behind them.
        case (.cdata(let brackets, _), .cdata(let left, _)): skipped.foundText(brackets + 1 - left)
        case (.opening, .tag): if !isEndTag { skipped.tagBegan(byte) }
        case (.opening, .instruction): return .restrictedXML
        case (.tag, .tag):
            guard isEndTag || skipped.foundOutside(byte) else { return .notWellFormed }
        case (.tag, .text): skipped.tagEnded()
        case (.tag, .quoted): skipped.valueBegan()
        case (.quoted, .quoted): skipped.foundInside(byte, isCounted: reference == 0)
        case (.quoted, .tag): skipped.valueEnded()
        case _: break
        }
        return skipped.isEndless ? .policyViolation : nil
    }
}
