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
    ///
    /// `looks` counts what is asked of libunistring, which is a few times a code point: nothing here may go over the text
    /// again for one of them.
    static func allows(_ text: String.UnicodeScalarView, in stringClass: StringClass, _ looks: inout Int) -> Bool {
        var hasContexts = false
        for scalar in text {
            looks += 1
            switch property(of: scalar) {
            case .valid: break
            case .free: if stringClass == .identifier { return false }
            case .context: hasContexts = true
            case .disallowed: return false
            }
        }
        return !hasContexts || ContextRules.hold(in: text, &looks)
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
        if uc_is_property_default_ignorable_code_point(scalar.value) || uc_is_property_not_a_character(scalar.value) {
            return .disallowed
        }
        // Unassigned ones, whose bit is in none of the two, are disallowed (section 9.10).
        let category = Unistring.category(of: scalar)
        guard category & letterDigits == 0 else { return Unistring.hasOtherForm(scalar) ? .free : .valid }
        return category & othersOfFreeform == 0 ? .disallowed : .free
    }

    /// LetterDigits, section 9.1.
    private static let letterDigits =
        UC_CATEGORY_MASK_Ll | UC_CATEGORY_MASK_Lu | UC_CATEGORY_MASK_Lo | UC_CATEGORY_MASK_Nd | UC_CATEGORY_MASK_Lm
        | UC_CATEGORY_MASK_Mn | UC_CATEGORY_MASK_Mc
    /// OtherLetterDigits, Spaces, Symbols and Punctuation, sections 9.14 to 9.16 and 9.18.
    private static let othersOfFreeform =
        UC_CATEGORY_MASK_Lt | UC_CATEGORY_MASK_Nl | UC_CATEGORY_MASK_No | UC_CATEGORY_MASK_Me | UC_CATEGORY_MASK_Zs
        | UC_CATEGORY_MASK_S | UC_CATEGORY_MASK_P

    /// The Bidi Rule of a text by itself, which holds where no right-to-left character is.
    static func isBidirectionallySound(_ text: String.UnicodeScalarView, _ looks: inout Int) -> Bool {
        let scalars = text[...]
        // Once for whether it is right-to-left, once for the rule.
        looks += 2 * scalars.count
        return !isRightToLeft(scalars) || followsBidiRule(scalars)
    }

    /// Whether a character stands in it that makes a label right-to-left (RFC 5893 section 1.4).
    static func isRightToLeft(_ text: Substring.UnicodeScalarView) -> Bool {
        text.contains { scalar in
            // The first block of such characters is that of Hebrew.
            guard scalar.value >= 0x590 else { return false }
            return switch BidiClass(scalar) {
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
