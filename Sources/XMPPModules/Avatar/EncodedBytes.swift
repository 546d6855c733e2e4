import XMPPCore

/// Bytes in an element, as pictures come: base64 in which white space means nothing (XEP-0153 section 4.6, XEP-0084 section
/// 3.1).
enum EncodedBytes {
    /// The bytes.
    ///
    /// Anything that is neither base64 nor white space makes the whole invalid, such as the start of a `data:` URI: left
    /// out, the rest would decode to something else.
    ///
    /// - Parameters:
    ///   - text: What the element holds.
    ///   - limit: How many bytes there may be; longer ones are not decoded.
    /// - Returns: Nil where it is not that.
    static func decode(_ text: String, limit: Int) -> [UInt8]? {
        let (most, overflows) = limit.multipliedReportingOverflow(by: 2)
        // White space is not endless either.
        guard overflows || text.utf8.count <= most &+ 1_024 else { return nil }
        var letters = text.utf8.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        // Some leave the padding out.
        while !letters.isEmpty, letters.count % 4 != 0 { letters.append(UInt8(ascii: "=")) }
        guard let bytes = Base64.decode(String(decoding: letters, as: UTF8.self)), bytes.count <= limit else {
            return nil
        }
        return bytes
    }
}
