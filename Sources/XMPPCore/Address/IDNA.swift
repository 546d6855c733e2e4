import CIDN2

/// Internationalised domain names by libidn2 (IDNA2008 with the mappings of UTS 46).
enum IDNA {
    /// The A-label form of a name, or nil where it has none.
    static func ascii(_ domain: String) -> String? {
        if domain.utf8.allSatisfy({ $0 < 0x80 }) { return domain }
        let flags = Int32(bitPattern: IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        return convert(domain) { idn2_to_ascii_8z($0, $1, flags) }
    }

    /// The U-label form of a name that is given in A-labels, or nil where a label is none.
    static func unicode(_ domain: String) -> String? {
        convert(domain) { idn2_to_unicode_8z8z($0, $1, 0) }
    }

    private static func convert(
        _ text: String,
        _ function: (UnsafePointer<CChar>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32
    ) -> String? {
        // Both take a text that ends at the first NUL.
        guard !text.utf8.contains(0) else { return nil }
        var output: UnsafeMutablePointer<CChar>?
        let code = text.withCString { function($0, &output) }
        defer { idn2_free(output) }
        guard code == Int32(IDN2_OK.rawValue), let output else { return nil }
        return String(validatingCString: output)
    }
}
