import CUnistring

/// SASLprep (RFC 4013), the preparation of passwords for SCRAM.
///
/// Code points that Unicode 3.2 did not know are let through, since passwords are typed in with them; the normal form
/// is that of the libunistring at hand.
package enum SASLPrep {
    /// The prepared text, or nil where it holds a forbidden character.
    package static func prepare(_ text: String) -> String? {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !isMappedToNothing(scalar) {
            let isSpace = scalar.properties.generalCategory == .spaceSeparator || scalar.value == 0x200B
            mapped.append(isSpace ? " " : scalar)
        }
        guard let normal = Unistring.nfkc(String(mapped)), !normal.unicodeScalars.contains(where: isForbidden),
            isBidirectionallySound(normal)
        else { return nil }
        return normal
    }

    /// RFC 3454 table B.1.
    private static func isMappedToNothing(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00AD, 0x034F, 0x1806, 0x180B...0x180D, 0x200C, 0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF: true
        case _: false
        }
    }

    /// RFC 3454 tables C.1.2, C.2.1, C.2.2, C.3 to C.9.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator: return true
        case .spaceSeparator: return scalar != " "
        case _: break
        }
        switch scalar.value {
        case 0x06DD, 0x070F, 0x180E, 0x200C...0x200F, 0x202A...0x202E, 0x2060...0x2063, 0x206A...0x206F, 0xFEFF,
            0xFFF9...0xFFFD, 0x1D173...0x1D17A, 0x0340, 0x0341, 0x2FF0...0x2FFB, 0xE0000...0xE007F:
            return true
        case _: return scalar.properties.isNoncharacterCodePoint
        }
    }

    /// RFC 3454 section 6: text with a right-to-left letter has none left-to-right, and begins and ends with one.
    private static func isBidirectionallySound(_ text: String) -> Bool {
        let classes = text.unicodeScalars.map { uc_bidi_class($0.value) }
        let isRightToLeft = { (value: Int32) in value == Int32(UC_BIDI_R) || value == Int32(UC_BIDI_AL) }
        guard classes.contains(where: isRightToLeft) else { return true }
        guard !classes.contains(Int32(UC_BIDI_L)), let first = classes.first, let last = classes.last else {
            return false
        }
        return isRightToLeft(first) && isRightToLeft(last)
    }
}
