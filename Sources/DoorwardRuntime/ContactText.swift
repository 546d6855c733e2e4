/// What a contact or a group may be called, whoever gives the name.
package enum ContactText {
    /// Why a text is refused, in words that follow what it is: `has a control character in it`.
    package struct Fault: Error, Hashable, Sendable {
        package let text: String
    }

    /// Most bytes of a name or a group: what servers take.
    package static let limit = 1023

    /// A text that can be sent: what XML cannot carry (XML 1.0 section 2.2) would end the stream.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limit: How many bytes it may have.
    /// - Throws: `Fault`.
    package static func check(_ text: String, limit: Int = ContactText.limit) throws(Fault) {
        guard text.utf8.count <= limit else { throw Fault(text: "has at most \(limit) bytes") }
        let isGood = text.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0xFFFE && $0.value != 0xFFFF
        }
        guard isGood else { throw Fault(text: "has a control character in it: leave it out") }
    }

    /// What lists show, without blanks around it; empty where nothing is left.
    ///
    /// A character that nobody sees, or that turns the text around it, would make one name look like another.
    ///
    /// - Parameter text: The text.
    /// - Throws: `Fault`.
    /// - Returns: What is kept of it.
    package static func shown(_ text: String) throws(Fault) -> String {
        try check(text)
        // Persian and the languages of India need the joiners, and so do emoji.
        let isHidden = { (scalar: Unicode.Scalar) in
            scalar.isUnsafeToShow && !["\u{200C}", "\u{200D}", "\u{FE0E}", "\u{FE0F}"].contains(scalar)
        }
        if let hidden = text.unicodeScalars.first(where: isHidden) {
            let code = String(hidden.value, radix: 16, uppercase: true)
            let digits = String(repeating: "0", count: max(0, 4 - code.count)) + code
            throw Fault(text: "has the invisible character U+\(digits) in it: leave it out")
        }
        let kept = text.drop(while: \.isWhitespace)
        guard let last = kept.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(kept[...last])
    }
}

extension Unicode.Scalar {
    /// Whether a terminal could act on this character, or a reader could not see it: controls (so every escape
    /// sequence), format characters (so every bidirectional override and zero-width joiner), line and paragraph
    /// separators, unassigned and private characters, and those that are shown as nothing.
    package var isUnsafeToShow: Bool {
        if (0x20..<0x7F).contains(value) { return false }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
        default: return properties.isDefaultIgnorableCodePoint
        }
    }
}
