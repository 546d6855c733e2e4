/// The preparation of a host name: one with dots, one without, or an IPv4 address.
enum HostName {
    /// Bytes of a name in A-labels, without a full stop at its end.
    ///
    /// RFC 7622 section 3.2 lets a domain have 1023 bytes, and wants a name that DNS could have. DNS counts 255 (RFC 1035
    /// section 2.3.4), of which one is the length of the first label and one the root; libidn2 refuses more by itself, so that
    /// without this a name would be one in ASCII and none in fullwidth letters. A name in U-labels, of 253 characters then,
    /// has less than 1023 bytes.
    static let limit = 253
    /// Bytes of a label.
    private static let labelLimit = 63
    /// Code points of a label that libidn2 is given.
    ///
    /// Each character of a label was written with at most 4 (`ᾂ`, with its three accents behind it); what is mapped to
    /// nothing, such as soft hyphens, may be as many as fit in.
    private static let rawLabelLimit = 4 * labelLimit

    /// The name in lower case and U-labels, or nil where it is no host name.
    static func prepared(_ text: String, _ looks: inout Int) -> String? {
        guard isInBounds(text, &looks), var ascii = IDNA.ascii(text)?.lowercased() else { return nil }
        // RFC 7622 section 3.2: one full stop at the end is no part of the name; here it is one whatever its script.
        if ascii.utf8.last == UInt8(ascii: ".") { ascii.removeLast() }
        guard ascii.utf8.count <= limit else { return nil }
        let labels = ascii.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel) else { return nil }
        if labels.last?.allSatisfy(isDigit) == true { return isIPv4Address(ascii) ? ascii : nil }
        guard labels.contains(where: isALabel) else { return ascii }
        // What stands for no name, or for one that has another spelling, is refused: two spellings of one domain would
        // be two domains.
        guard let unicode = IDNA.unicode(ascii), let again = IDNA.ascii(unicode), again.utf8.elementsEqual(ascii.utf8)
        else { return nil }
        // What libidn2 looks up it need not be possible to register.
        let names = unicode.unicodeScalars.split(separator: ".")
        guard names.allSatisfy({ ContextRules.hold(in: $0, &looks) }), areBidirectionallySound(names),
            unicode.unicodeScalars.allSatisfy(Unistring.isAssigned)
        else { return nil }
        return unicode
    }

    /// Whether libidn2 may be asked, which goes over a label once for each code point that has a rule for the whole of it.
    ///
    /// Such a code point stays one in the label, where no more than 63 are.
    private static func isInBounds(_ text: String, _ looks: inout Int) -> Bool {
        var length = 0
        var contexts = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // The full stops of UTS 46 section 2.3.
            case 0x2E, 0x3002, 0xFF0E, 0xFF61:
                looks += length * (1 + contexts)
                (length, contexts) = (0, 0)
                continue
            // Those of RFC 5892 appendix A, and the middle dot in its half width.
            case 0x200C, 0x200D, 0x30FB, 0xFF65, 0x0660...0x0669, 0x06F0...0x06F9: contexts += 1
            case _: break
            }
            length += 1
            guard length <= rawLabelLimit, contexts <= labelLimit else { return false }
        }
        looks += length * (1 + contexts)
        return true
    }

    /// The Bidi Rule of a name (RFC 5893 sections 1.4 and 2).
    ///
    /// Where one label is right-to-left it holds for all of them, those in ASCII included. libidn2 looks at each by itself.
    private static func areBidirectionallySound(_ labels: [Substring.UnicodeScalarView]) -> Bool {
        !labels.contains(where: PRECIS.isRightToLeft) || labels.allSatisfy(PRECIS.followsBidiRule)
    }

    /// A name whose last label is a number is an IPv4 address, or none.
    ///
    /// RFC 7622 section 3.2 has for a domain a name of RFC 5890, an IPv4 and an IPv6 address, and RFC 5890 leaves the
    /// rules for names in ASCII as RFC 1123 section 2.1 has them: in a host name the last label is alphabetic, so that
    /// none can be taken for an address (`256.1.1.1`, `1`). What the numbers of an address are RFC 3986 section 3.2.2 says.
    private static func isIPv4Address(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { IPv4Address($0) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Letters, digits and hyphens; a hyphen neither first nor last, and in the third and fourth place only in an
    /// A-label (RFC 5890 section 2.3.1).
    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...labelLimit).contains(label.count), label.first != hyphen, label.last != hyphen else { return false }
        guard label.allSatisfy({ (0x61...0x7A).contains($0) || isDigit($0) || $0 == hyphen }) else {
            return false
        }
        return !label.dropFirst(2).starts(with: "--".utf8) || isALabel(label)
    }

    private static func isALabel(_ label: Substring.UTF8View) -> Bool {
        label.starts(with: "xn--".utf8)
    }
}
