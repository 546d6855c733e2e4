/// How much text a row keeps: strangers' text is cut, never refused.
enum TextBounds {
    /// The text of a request: 16 KiB.
    static func message(_ text: String?) -> String? { present(text, 16 * 1024) }

    /// A nickname: 1 KiB.
    static func nickname(_ text: String?) -> String? { present(text, 1024) }

    /// Words of the history and of an alert, which may quote a server's error: 4 KiB.
    static func reason(_ text: String) -> String { cut(text, 4 * 1024) }

    /// A JSON document of facts or trace; one that is too long is left out as a whole, since half of it is no JSON.
    static func json(_ text: String, insteadOf replacement: String) -> String {
        text.utf8.count <= 256 * 1024 ? text : replacement
    }

    /// An empty text counts as none, as it does for the policy.
    private static func present(_ text: String?, _ limit: Int) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return cut(text, limit)
    }

    /// The longest beginning within the limit of bytes that ends between two Unicode scalars.
    static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let bytes = text.utf8.prefix(limit + 1)
        // The byte after the cut must begin a scalar; else the cut goes back to where its scalar began.
        var end = bytes.index(before: bytes.endIndex)
        while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Whether two texts are the same bytes; Swift's `==` would take canonically equivalent ones for the same.
    static func same(_ left: String, _ right: String?) -> Bool {
        right.map { left.utf8.elementsEqual($0.utf8) } ?? false
    }
}
