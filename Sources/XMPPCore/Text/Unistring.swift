import CUnistring

/// Normal forms and properties by libunistring: the one version of Unicode that addresses are prepared by.
///
/// Swift's standard library knows a newer one than Debian's libunistring. Where a letter of the newer had its category
/// from the one and its normal form from the other, two spellings of it that are canonically equivalent would be two
/// addresses, and a letter with a compatible form (RFC 8264 section 9.17) would pass for one without. So no property of
/// Swift's is asked for an address: what libunistring does not know is unassigned, which no part may hold (RFC 8264
/// section 9.10), and the forms of what it does know never change again (Unicode's stability of normal forms).
///
/// A normal form is nil where it fails, which means out of memory or text that is not UTF-8.
enum Unistring {
    static func nfc(_ text: String) -> String? { apply(unistring_nfc, to: text) }
    static func nfkc(_ text: String) -> String? { apply(unistring_nfkc, to: text) }
    /// NFKC with full case folding, so that `ß` becomes `ss`.
    static func nfkcCaseFold(_ text: String) -> String? { apply(unistring_nfkc_casefold, to: text) }

    /// The general category, as a bit of `UC_CATEGORY_MASK_Cn` and the others.
    static func category(of scalar: Unicode.Scalar) -> Int { Int(unistring_category(scalar.value)) }

    static func isAssigned(_ scalar: Unicode.Scalar) -> Bool { category(of: scalar) & UC_CATEGORY_MASK_Cn == 0 }

    static func isSpace(_ scalar: Unicode.Scalar) -> Bool { category(of: scalar) & UC_CATEGORY_MASK_Zs != 0 }

    /// Whether it is fullwidth or halfwidth, or has another compatible or canonical form.
    static func hasOtherForm(_ scalar: Unicode.Scalar) -> Bool { unistring_changes_by_nfkc(scalar.value) }

    /// What a fullwidth or halfwidth character stands for; every other is itself.
    static func inUsualWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        // The first of them is the ideographic space.
        guard scalar.value >= 0x3000 else { return scalar }
        return Unicode.Scalar(unistring_usual_width(scalar.value)) ?? scalar
    }

    /// The small letter of a capital, for each by itself: a sigma is a sigma, also at the end.
    static func appendLowercased(_ scalar: Unicode.Scalar, to text: inout String.UnicodeScalarView) {
        switch scalar.value {
        case 0x20...0x40, 0x5B...0x7F: text.append(scalar)
        // The one capital with two (SpecialCasing.txt, without a condition).
        case 0x130:
            text.append("i")
            text.append("\u{307}")
        case _: text.append(Unicode.Scalar(uc_tolower(scalar.value)) ?? scalar)
        }
    }

    private static func apply(
        _ function: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt8>?,
        to text: String
    ) -> String? {
        // These fail on no bytes at all where malloc(0) is null.
        guard !text.isEmpty else { return "" }
        var text = text
        return text.withUTF8 { input in
            var count = 0
            guard let output = function(input.baseAddress, input.count, &count) else { return nil }
            defer { unistring_free(output) }
            return String(validating: UnsafeBufferPointer(start: output, count: count), as: UTF8.self)
        }
    }
}
