import CUnistring

/// The string classes of PRECIS (RFC 8264) and what its profiles need.
enum PRECIS {
    enum StringClass {
        case identifier
        case freeform
    }

    /// What RFC 8264 section 8 derives for a code point.
    private enum Property {
        case valid
        /// Valid in FreeformClass alone.
        case free
        case context
        case disallowed
    }

    /// Whether every code point may stand in a string of that class.
    static func allows(_ text: String, in stringClass: StringClass) -> Bool {
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch property(of: scalar) {
            case .valid: break
            case .free: if stringClass == .identifier { return false }
            case .context: if !ContextRule.holds(at: index, of: scalars) { return false }
            case .disallowed: return false
            }
        }
        return true
    }

    /// Whether what may stand only beside certain others does so; a U-label has the same rules (RFC 5892 appendix A).
    static func contextsHold(in label: Substring.UnicodeScalarView) -> Bool {
        let scalars = Array(label)
        return scalars.indices.allSatisfy { index in
            property(of: scalars[index]) != .context || ContextRule.holds(at: index, of: scalars)
        }
    }

    /// Maps fullwidth and halfwidth characters to their usual ones (RFC 8265 section 3.3.2 step 1).
    static func widthMapped(_ text: String) -> String? {
        guard text.unicodeScalars.contains(where: isWidthVariant) else { return text }
        var mapped = ""
        for scalar in text.unicodeScalars {
            guard isWidthVariant(scalar) else {
                mapped.unicodeScalars.append(scalar)
                continue
            }
            guard let usual = Unistring.nfkc(String(scalar)) else { return nil }
            mapped.unicodeScalars.append(contentsOf: usual.unicodeScalars)
        }
        return mapped
    }

    /// The code points whose decomposition is marked wide or narrow.
    private static func isWidthVariant(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3000, 0xFF01...0xFF60, 0xFF61...0xFFBE, 0xFFC2...0xFFDC, 0xFFE0...0xFFE6, 0xFFE8...0xFFEE: true
        case _: false
        }
    }

    /// The derivation of RFC 8264 section 8, in its order.
    private static func property(of scalar: Unicode.Scalar) -> Property {
        if (0x21...0x7E).contains(scalar.value) { return .valid }
        switch scalar.value {
        // Exceptions, section 9.6.
        case 0x00DF, 0x03C2, 0x06FD, 0x06FE, 0x0F0B, 0x3007: return .valid
        case 0x00B7, 0x0375, 0x05F3, 0x05F4, 0x30FB, 0x0660...0x0669, 0x06F0...0x06F9: return .context
        case 0x0640, 0x07FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return .disallowed
        // JoinControl.
        case 0x200C, 0x200D: return .context
        // OldHangulJamo.
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: return .disallowed
        case _: break
        }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return .disallowed }
        let byCategory: Property =
            switch properties.generalCategory {
            case .lowercaseLetter, .uppercaseLetter, .otherLetter, .decimalNumber, .modifierLetter, .nonspacingMark,
                .spacingMark:
                .valid
            case .titlecaseLetter, .letterNumber, .otherNumber, .enclosingMark, .spaceSeparator, .mathSymbol,
                .currencySymbol, .modifierSymbol, .otherSymbol, .connectorPunctuation, .dashPunctuation,
                .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation:
                .free
            case .lineSeparator, .paragraphSeparator, .control, .format, .surrogate, .privateUse, .unassigned:
                .disallowed
            @unknown default: .disallowed
            }
        guard byCategory == .valid else { return byCategory }
        // HasCompat.
        let text = String(scalar)
        return Unistring.nfkc(text)?.utf8.elementsEqual(text.utf8) == true ? .valid : .free
    }

    /// The Bidi Rule of a text by itself, which holds where no right-to-left character is.
    static func isBidirectionallySound(_ text: String) -> Bool {
        let scalars = text.unicodeScalars[...]
        return !isRightToLeft(scalars) || followsBidiRule(scalars)
    }

    /// Whether a character stands in it that makes a label right-to-left (RFC 5893 section 1.4).
    static func isRightToLeft(_ text: Substring.UnicodeScalarView) -> Bool {
        text.contains { scalar in
            switch BidiClass(scalar) {
            case .rightToLeft, .arabicNumber: true
            case .leftToRight, .number, .neutral, .mark, .other: false
            }
        }
    }

    /// The six conditions of the Bidi Rule (RFC 5893 section 2).
    static func followsBidiRule(_ label: Substring.UnicodeScalarView) -> Bool {
        let classes = label.map { BidiClass($0) }
        guard let first = classes.first, let last = classes.last(where: { $0 != .mark }), !classes.contains(.other)
        else { return false }
        switch first {
        case .rightToLeft:
            let numbers = classes.contains(.number) && classes.contains(.arabicNumber)
            return !classes.contains(.leftToRight) && !numbers
                && (last == .rightToLeft || last == .number || last == .arabicNumber)
        case .leftToRight:
            return !classes.contains(.rightToLeft) && !classes.contains(.arabicNumber)
                && (last == .leftToRight || last == .number)
        case .number, .arabicNumber, .neutral, .mark, .other:
            return false
        }
    }

    private enum BidiClass {
        case leftToRight, rightToLeft, number, arabicNumber
        /// ES, CS, ET, ON, BN: allowed inside.
        case neutral
        case mark
        case other

        init(_ scalar: Unicode.Scalar) {
            let value = Int(uc_bidi_class(scalar.value))
            self =
                switch value {
                case UC_BIDI_L: .leftToRight
                case UC_BIDI_R, UC_BIDI_AL: .rightToLeft
                case UC_BIDI_EN: .number
                case UC_BIDI_AN: .arabicNumber
                case UC_BIDI_ES, UC_BIDI_CS, UC_BIDI_ET, UC_BIDI_ON, UC_BIDI_BN: .neutral
                case UC_BIDI_NSM: .mark
                case _: .other
                }
        }
    }
}

/// The rules for code points that may stand only beside certain others (RFC 5892 appendix A).
private enum ContextRule {
    static func holds(at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        let before = index > 0 ? scalars[index - 1] : nil
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        switch scalars[index].value {
        case 0x200C: return isVirama(before) || isBetweenJoiningLetters(index, scalars)
        case 0x200D: return isVirama(before)
        // Middle dot: between two l, as in Catalan.
        case 0x00B7: return before?.value == 0x6C && after?.value == 0x6C
        case 0x0375: return isScript("Greek", after)
        case 0x05F3, 0x05F4: return isScript("Hebrew", before)
        case 0x30FB:
            return scalars.contains { isScript("Hiragana", $0) || isScript("Katakana", $0) || isScript("Han", $0) }
        // The two kinds of Arabic digits are not mixed.
        case 0x0660...0x0669: return !scalars.contains { (0x06F0...0x06F9).contains($0.value) }
        case 0x06F0...0x06F9: return !scalars.contains { (0x0660...0x0669).contains($0.value) }
        case _: return false
        }
    }

    private static func isVirama(_ scalar: Unicode.Scalar?) -> Bool {
        scalar?.properties.canonicalCombiningClass == .virama
    }

    /// Appendix A.1: (L or D) T* ZWNJ T* (R or D).
    private static func isBetweenJoiningLetters(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        let types = scalars.map { Int(uc_joining_type($0.value)) }
        let left = types[..<index].last { $0 != UC_JOINING_TYPE_T }
        let right = types[(index + 1)...].first { $0 != UC_JOINING_TYPE_T }
        return (left == UC_JOINING_TYPE_L || left == UC_JOINING_TYPE_D)
            && (right == UC_JOINING_TYPE_R || right == UC_JOINING_TYPE_D)
    }

    private static func isScript(_ name: String, _ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar, let script = uc_script(scalar.value)?.pointee.name else { return false }
        return String(cString: script) == name
    }
}
