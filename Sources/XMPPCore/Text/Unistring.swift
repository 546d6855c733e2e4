import CUnistring

/// Normal forms by libunistring.
///
/// Nil where it fails, which means out of memory or text that is not UTF-8.
enum Unistring {
    static func nfc(_ text: String) -> String? { apply(unistring_nfc, to: text) }
    static func nfkc(_ text: String) -> String? { apply(unistring_nfkc, to: text) }
    /// NFKC with full case folding, so that `ß` becomes `ss`.
    static func nfkcCaseFold(_ text: String) -> String? { apply(unistring_nfkc_casefold, to: text) }

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
