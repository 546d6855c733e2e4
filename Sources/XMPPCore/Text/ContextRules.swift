import CUnistring

/// The rules for code points that may stand only beside certain others (RFC 5892 appendix A), for one text.
///
/// The text is gone through once, from its begin to its end, however many rules there are in it: what a rule wants of the
/// text before it is known by then, what it wants of the text behind it is kept until it comes. An address of a stranger
/// may be such code points throughout.
struct ContextRules {
    private enum Next {
        case anything
        /// Behind a middle dot, appendix A.3.
        case smallL
        /// Behind a Greek numeral sign, appendix A.4.
        case greek
    }

    /// Asks of libunistring, which are the work that is counted.
    private(set) var looks = 0
    private var isBroken = false
    private var previous: Unicode.Scalar?
    private var next = Next.anything
    /// The joining type of the last character that is not transparent, and whether one must come that joins to its right.
    private var joining = Int32(UC_JOINING_TYPE_U)
    private var wantsRightJoining = false
    private var hasKatakanaDot = false
    private var hasJapanese = false
    private var hasArabicIndicDigit = false
    private var hasExtendedDigit = false

    /// Whether all rules hold in that text; counts into `looks`.
    static func hold(in text: some Sequence<Unicode.Scalar>, _ looks: inout Int) -> Bool {
        var rules = ContextRules()
        for scalar in text where !rules.isBroken { rules.read(scalar) }
        looks += rules.looks
        return rules.hold
    }

    private var hold: Bool {
        !isBroken && next == .anything && !wantsRightJoining && (!hasKatakanaDot || hasJapanese)
            // The two kinds of Arabic digits are not mixed (appendix A.8 and A.9).
            && !(hasArabicIndicDigit && hasExtendedDigit)
    }

    private mutating func read(_ scalar: Unicode.Scalar) {
        defer { previous = scalar }
        switch next {
        case .anything: break
        case .smallL: if scalar != "l" { isBroken = true }
        case .greek: if script(of: scalar) != UNISTRING_SCRIPT_GREEK { isBroken = true }
        }
        next = .anything
        join(scalar)
        switch scalar.value {
        case 0x00B7:
            if previous != "l" { isBroken = true }
            next = .smallL
        case 0x0375: next = .greek
        case 0x05F3, 0x05F4: if script(of: previous) != UNISTRING_SCRIPT_HEBREW { isBroken = true }
        case 0x30FB: hasKatakanaDot = true
        case 0x0660...0x0669: hasArabicIndicDigit = true
        case 0x06F0...0x06F9: hasExtendedDigit = true
        case 0x00...0x7F: break
        case _:
            // Appendix A.7 wants one of them somewhere in the text.
            if !hasJapanese { hasJapanese = script(of: scalar) == UNISTRING_SCRIPT_JAPANESE }
        }
    }

    /// The joiners.
    ///
    /// Appendix A.1: a ZWNJ stands behind a virama, or as (L or D) T* ZWNJ T* (R or D). Appendix A.2: a ZWJ stands behind a
    /// virama.
    private mutating func join(_ scalar: Unicode.Scalar) {
        let isNonJoiner = scalar.value == 0x200C
        let type = joiningType(of: scalar)
        guard type != Int32(UC_JOINING_TYPE_T) || isNonJoiner else { return }
        if wantsRightJoining, type != Int32(UC_JOINING_TYPE_R), type != Int32(UC_JOINING_TYPE_D) { isBroken = true }
        wantsRightJoining = false
        if isNonJoiner || scalar.value == 0x200D, !isBehindVirama() {
            let isBehindJoining = joining == Int32(UC_JOINING_TYPE_L) || joining == Int32(UC_JOINING_TYPE_D)
            if !isNonJoiner || !isBehindJoining { isBroken = true }
            wantsRightJoining = isNonJoiner
        }
        joining = type
    }

    private mutating func isBehindVirama() -> Bool {
        guard let previous else { return false }
        looks += 1
        return uc_combining_class(previous.value) == Int32(UC_CCC_VR)
    }

    private mutating func joiningType(of scalar: Unicode.Scalar) -> Int32 {
        looks += 1
        return uc_joining_type(scalar.value)
    }

    private mutating func script(of scalar: Unicode.Scalar?) -> Int {
        guard let scalar else { return UNISTRING_SCRIPT_OTHER }
        looks += 1
        return Int(unistring_script(scalar.value))
    }
}
